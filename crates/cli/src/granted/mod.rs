//! Places outside of the roots of `overt fs`, which people grant. The server process never gets
//! access to them: a small process, started before the walls go up, reads each grant in the store
//! and starts a worker for it, behind walls of its own.
mod config; // what the processes tell each other
mod walls; // which folders a worker gets
mod spawner; // the process that starts workers
mod worker; // the process that serves one grant
mod starter; // the server's side

pub(crate) use config::{CommonConfig, SpawnerConfig, Walls};
pub(crate) use spawner::{SPAWNER_ARGUMENT, run_spawner};
pub(crate) use starter::Spawner;
pub(crate) use worker::{WORKER_ARGUMENT, run_worker};
