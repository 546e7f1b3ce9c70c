//! The tree, the journal, and the server over both.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_wire::Handler;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::super::write::Sweeper;
use super::super::super::write::tests::stage::{Answer, ask_once, values};
use super::super::super::{FileServer, Options};
use super::overlay::{Layers, Overlay};
use super::plan::JournalPlace;

/// The file system of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ground {
    Plain,
    Overlay(Layers),
}

/// What is removed with the place: the mount first, then the folders.
enum Guard {
    Folder { _folder: TempDir },
    Mount { _mount: Overlay },
}

pub(super) struct Place {
    _guards: Vec<Guard>,
    pub(super) path: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) server: Arc<FileServer>,
    handler: Arc<dyn Handler>,
    runtime: tokio::runtime::Runtime,
}

impl Place {
    pub(super) fn new(journal: JournalPlace, ground: Ground) -> Self {
        let fast = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let (path, guard) = match (ground, journal) {
            (Ground::Overlay(layers), _) => {
                let mount = Overlay::mount(layers);
                (mount.path.clone(), Guard::Mount { _mount: mount })
            }
            (Ground::Plain, JournalPlace::Beside) => plain(fast()),
            (Ground::Plain, JournalPlace::Elsewhere) => plain(tempfile::tempdir().unwrap()),
        };
        let mut guards = vec![guard];
        let journal = match journal {
            JournalPlace::Beside => path.join("journal"),
            JournalPlace::Elsewhere => {
                let folder = fast();
                let journal = folder.path().canonicalize().unwrap().join("journal");
                guards.push(Guard::Folder { _folder: folder });
                journal
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

    /// Starts the next server, after the previous one was killed.
    pub(super) fn restart(&mut self) {
        (self.server, self.handler) = open(&self.path, &self.journal, Sweeper::of_any_age());
    }
}

/// Creates an empty tree in a folder.
fn plain(folder: TempDir) -> (PathBuf, Guard) {
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir(path.join("root")).unwrap();
    (path, Guard::Folder { _folder: folder })
}

/// Opens a server on a tree and a journal. Files with several hard links may be changed, and
/// nothing waits for the disk.
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
