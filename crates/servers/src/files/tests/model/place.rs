//! The tree, the journal, and the server that works on both.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_wire::Handler;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::super::write::Sweeper;
use super::super::super::write::tests::stage::{Answer, ask_once, values};
use super::super::super::{FileServer, Options};
use super::plan::JournalPlace;

pub(super) struct Place {
    _guards: Vec<TempDir>,
    pub(super) path: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) server: Arc<FileServer>,
    handler: Arc<dyn Handler>,
    runtime: tokio::runtime::Runtime,
}

impl Place {
    pub(super) fn new(journal: JournalPlace) -> Self {
        let fast = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let mut guards = match journal {
            JournalPlace::Beside => vec![fast()],
            JournalPlace::Elsewhere => vec![tempfile::tempdir().unwrap()],
        };
        let path = guards[0].path().canonicalize().unwrap();
        fs::create_dir(path.join("root")).unwrap();
        let journal = match journal {
            JournalPlace::Beside => path.join("journal"),
            JournalPlace::Elsewhere => {
                guards.push(fast());
                guards[1].path().canonicalize().unwrap().join("journal")
            }
        };
        let (server, handler) = open(&path, &journal, Sweeper::of_any_age());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { _guards: guards, path, journal, server, handler, runtime }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.path.join("root")
    }

    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Answer {
        self.runtime.block_on(ask_once(&self.handler, tool, arguments.clone()))
    }

    /// The next server, after the one before was killed.
    pub(super) fn restart(&mut self) {
        (self.server, self.handler) = open(&self.path, &self.journal, Sweeper::of_any_age());
    }
}

/// A server on a tree and a journal. Everybody may change files with several names; nobody waits for a disk.
pub(super) fn open(path: &Path, journal: &Path, sweeper: Sweeper) -> (Arc<FileServer>, Arc<dyn Handler>) {
    let table = json!({ "hardlinks": "allow", "durability": "rename" });
    let options = Options {
        journal: Some(journal.to_owned()),
        ..Options::new(vec![path.join("root")], values(&table))
    };
    let server = FileServer::open_with(&options, sweeper).unwrap();
    let handler = overt_layers::open(server.endpoint().unwrap());
    (server, handler)
}
