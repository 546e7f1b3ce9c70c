//! What the server, the spawner and the workers tell each other.
use std::path::PathBuf;

use overt_wire::json::Json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the spawner goes by. The server tells it before its own walls go up, and never again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SpawnerConfig {
    /// The folder with the store of grants.
    pub(crate) state: PathBuf,
    /// The server that grants must be for.
    pub(crate) server: String,
    pub(crate) project: Option<String>,
    /// The scopes that can be granted.
    pub(crate) ceiling: Vec<String>,
    /// The scopes that are refused, whatever was granted.
    pub(crate) denied: Vec<String>,
    /// Whether a client is believed that says what was granted.
    pub(crate) believes_clients: bool,
    /// What can't be granted, nor anything in it.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) common: CommonConfig,
}

/// What all workers of a server have in common.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CommonConfig {
    /// What can be read and not changed.
    pub(crate) immutable: Vec<PathBuf>,
    /// Folders that stand for usual folders of clients.
    pub(crate) client_folders: Vec<(PathBuf, String)>,
    pub(crate) journal: Option<PathBuf>,
    pub(crate) settings: Map<String, Value>,
    /// Whether the tools have the names of the official server.
    pub(crate) is_official: bool,
    pub(crate) walls: Walls,
}

/// Whether the kernel confines a worker, as `--sandbox` and `--require-sandbox` say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Walls {
    Off,
    Try,
    Require,
}

/// What a worker serves, and behind which walls.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorkerConfig {
    pub(super) folders: Vec<PathBuf>,
    pub(super) scopes: Vec<String>,
    /// What the kernel lets it read.
    pub(super) read: Vec<PathBuf>,
    /// What the kernel lets it read and change.
    pub(super) write: Vec<PathBuf>,
    pub(super) hidden: Vec<PathBuf>,
    /// Whether it ends after one call.
    pub(super) is_for_one_call: bool,
    pub(super) common: CommonConfig,
}

/// A request of the server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum StartRequest {
    /// For the grant with this id, such as `g-3`.
    Grant(String),
    /// For scopes that a client says were granted.
    Claim(Vec<String>),
}

/// The spawner's answer. With `Started` comes the socket of the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum StartReply {
    Started { scopes: Vec<String>, is_for_one_call: bool },
    Refused { why: String },
}

/// Reads a message. The other process may be broken, so everything is checked.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    Json::parse(std::str::from_utf8(bytes).ok()?).ok()?.read().ok()
}
