//! The interface of what starts workers. The program that serves the files has a small process for
//! it, which reads each grant in the store itself.
use std::fmt::Debug;
use std::sync::Arc;

use overt_policy::scope::Scope;
use overt_toolbox::RemoteWorker;
use overt_wire::BoxFuture;

/// Starts a worker for a grant.
pub trait WorkerStarter: Debug + Send + Sync + 'static {
    /// Starts a worker. The error is a part of a sentence that says why there is none.
    fn start(&self, source: GrantSource) -> BoxFuture<'static, Result<StartedWorker, String>>;

    /// Whether the operator believes clients that say what was granted (`--trust-grants`).
    fn believes_clients(&self) -> bool;
}

/// Where it is written that a worker may be started.
#[derive(Debug, Clone)]
pub enum GrantSource {
    /// In the store of grants, under this id.
    Store(String),
    /// In the request of a client, for one call with these paths.
    Client(Vec<Scope>),
}

/// A worker that runs.
#[derive(Debug, Clone)]
pub struct StartedWorker {
    /// What the worker may do, as the grant says.
    pub scopes: Vec<Scope>,
    /// Whether the grant is for one call, after which the worker ends.
    pub is_for_one_call: bool,
    pub connection: Arc<dyn RemoteWorker>,
}
