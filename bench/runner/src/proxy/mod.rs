//! `bench proxy`: `overt run` beside the other proxies, in front of the same upstream, in one run.

mod options; // what to measure
mod contenders; // who is measured, and how each is started
mod install; // how each comes onto this machine
mod stand; // a started proxy and its upstream
mod http; // latency and throughput over HTTP
mod stdio; // latency over stdio, and how long a start takes
mod memory; // what stays in memory
mod soak; // what stays in memory after a million calls and thousands of sessions
mod whole; // all of it, and whether the goals are met

pub(crate) use contenders::{ONE_ALLOW_RULE, nginx};
pub(crate) use install::nginx as install_nginx;
pub(crate) use options::Options;
pub(crate) use stand::{Programs, Stand};
pub(crate) use whole::run;
