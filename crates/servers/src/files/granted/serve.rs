//! The worker's side: a file server for the folders of one grant.
use std::path::PathBuf;

use overt_policy::scope::{Scope, ScopeSet};
use overt_settings::{Origin, Regions, SettingValue, SettingValues, SourceValues};
use overt_toolbox::{DeclarationError, RemoteCalls};
use serde_json::json;

use super::super::{Compat, FileServer, OpenError, Options};

/// What a worker serves.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Absolute real paths of the folders in which the granted places are.
    pub folders: Vec<PathBuf>,
    pub scopes: Vec<Scope>,
    /// What is hidden inside the folders.
    pub hidden: Vec<String>,
    /// What can be read and not changed.
    pub immutable: Vec<String>,
    /// Folders that stand for usual folders of clients.
    pub client_folders: Vec<(PathBuf, String)>,
    pub journal: Option<PathBuf>,
    /// The values at the start. The server sends those of each call.
    pub settings: SettingValues,
    pub compat: Option<Compat>,
}

/// Opens the folders and returns what answers the calls of the server.
pub fn open_worker(options: WorkerOptions) -> Result<RemoteCalls, WorkerError> {
    let WorkerOptions { folders, scopes, hidden, immutable, client_folders, journal, settings, compat } =
        options;
    let regions: Vec<_> =
        folders.iter().filter_map(|folder| folder.to_str()).map(|path| json!({ "path": path })).collect();
    let regions = Regions::parse(&json!(regions)).map_err(|_| WorkerError::Folders)?;
    let regions = regions.without(hidden.iter().map(String::as_str));
    let regions = regions.with_read_only(immutable.iter().map(String::as_str));
    let mut own = SourceValues::default();
    own.set("roots", SettingValue::Regions(regions), Origin::Default);
    let options = Options {
        client_folders,
        journal,
        compat,
        is_worker: true,
        ..Options::new(folders, settings.over(own))
    };
    let endpoint = FileServer::open(&options)?.endpoint()?;
    Ok(RemoteCalls::new(&endpoint, scopes.into_iter().collect::<ScopeSet>()))
}

/// The worker can't serve.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error("the folders can't be served")]
    Folders,
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Tools(#[from] DeclarationError),
}
