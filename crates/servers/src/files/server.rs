//! Everything that the tools share, and the server made of them.
use std::path::PathBuf;
use std::sync::Arc;

use overt_layers::record::ServerRecord;
use overt_layers::toolbox::{Context, DeclarationError, Server, ToolError, Toolbox, ToolboxEndpoint};
use overt_spec::control::Regions;
use overt_spec::setting::Values;

use super::compat::Compat;
use super::journal::Journal;
use super::sandbox::Sandbox;
use super::space::{OpenError, Space, View};
use super::tools;
use super::work::Workers;
use super::write::{Claims, Disk, Durability, Sweeper};

/// The name of the server in scopes, grants and the audit log.
pub const NAME: &str = "overt-fs";

/// What the journal keeps where nobody has said.
const JOURNAL_MAX_BYTES: u64 = 1 << 30;

const INSTRUCTIONS: &str = "Use these tools to look at and change files in the roots that `list_roots` names. Paths are relative to the default \
     root, or absolute. Look before you change: `list_directory`, `find_files`, `search_files`, `read_file`. Change a part of a file \
     with `edit_file`, a whole one with `write_file`. Every change can be undone with `revert_change`.";

const ABOUT: &str = "Reads, searches, edits and organises files in folders that the user chose, shows each change before it is made, and can \
     undo it. Use when the user asks to look at, find, write, change, move or delete files.";

/// How a file server is started. Everything that may differ from call to call is in the settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// Absolute; the first is where relative paths begin.
    pub roots: Vec<PathBuf>,
    /// Absolute: what a person can grant beside the roots.
    pub grantable: Vec<PathBuf>,
    /// Absolute: where what was there before each change is kept, so that it can be undone. Nobody sees it, although it may be in a
    /// root.
    pub journal: Option<PathBuf>,
    pub settings: Values,
    /// Whether the kernel holds this process.
    pub sandbox: Sandbox,
    /// Whose names the tools have, if not our own.
    pub compat: Option<Compat>,
}

impl Options {
    /// Nothing beside the roots, no journal and no sandbox.
    pub fn new(roots: Vec<PathBuf>, settings: Values) -> Self {
        Self { roots, grantable: Vec::new(), journal: None, settings, sandbox: Sandbox::Off, compat: None }
    }
}

/// The file server.
#[derive(Debug)]
pub struct FileServer {
    pub(crate) space: Arc<Space>,
    /// What the operator serves, before any client or policy narrowed it.
    pub(crate) operator: Regions,
    pub(crate) workers: Workers,
    pub(crate) sandbox: Sandbox,
    pub(crate) claims: Claims,
    pub(crate) disk: Disk,
    pub(crate) sweeper: Sweeper,
    /// None where nothing is kept.
    pub(crate) journal: Option<Arc<Journal>>,
    settings: Values,
    compat: Option<Compat>,
}

impl FileServer {
    pub fn open(options: &Options) -> Result<Arc<Self>, OpenError> {
        Self::open_with(options, Sweeper::default())
    }

    /// The same with another idea of what was left over.
    pub(crate) fn open_with(options: &Options, sweeper: Sweeper) -> Result<Arc<Self>, OpenError> {
        let settings = &options.settings;
        let space = Space::open(&options.roots, &options.grantable)?;
        let journal = match (&options.journal, settings.get("journal_max_bytes").unwrap_or(JOURNAL_MAX_BYTES))
        {
            (Some(path), most) if most > 0 => Some(Arc::new(Journal::open(path, most)?)),
            _ => None,
        };
        let durability = match settings.get::<String>("durability").as_deref() {
            Some("rename") => Durability::Rename,
            _ => Durability::Fsync,
        };
        Ok(Arc::new(Self {
            space: Arc::new(space.without(journal.as_ref().map(|journal| journal.folder.path.clone()))),
            operator: options.settings.get("roots").unwrap_or_default(),
            workers: Workers::default(),
            sandbox: options.sandbox.clone(),
            claims: Claims::default(),
            disk: Disk::new(durability),
            sweeper,
            journal,
            settings: options.settings.clone(),
            compat: options.compat,
        }))
    }

    /// The server as an endpoint, with all its tools. Nothing of what it declares depends on where it runs, so a test has checked it.
    pub fn endpoint(self: &Arc<Self>) -> Result<Arc<ToolboxEndpoint>, DeclarationError> {
        self.toolbox().known_good().build()
    }

    fn toolbox(self: &Arc<Self>) -> Toolbox {
        let server = Server::new(NAME, env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
            .title("Files")
            .description(ABOUT)
            .declare(ServerRecord::new(ABOUT))
            .settings(self.settings.clone());
        let tools = tools::all(self);
        let tools = match self.compat {
            Some(compat) => compat.tools(self, tools),
            None => tools,
        };
        tools.into_iter().fold(Toolbox::new(server), Toolbox::tool)
    }

    /// What a call can see.
    pub(crate) fn view(&self, context: &Context) -> Result<View, ToolError> {
        View::of(context, &self.space, &self.operator)
    }
}

#[cfg(test)]
mod tests {
    use overt_spec::setting::Declared;

    use super::super::{Compat, settings};
    use super::*;

    /// What is believed at each start is checked here: with and without a journal, and with the names of another server.
    #[test]
    fn what_the_server_declares_is_right() {
        let place = tempfile::tempdir().unwrap();
        let (root, journal) = (place.path().join("top"), place.path().join("journal"));
        std::fs::create_dir(&root).unwrap();
        let values = Values::from(Declared::new(settings()).unwrap());
        for (journal, compat) in [
            (None, None),
            (Some(journal.clone()), None),
            (None, Some(Compat::Official)),
            (Some(journal), Some(Compat::Official)),
        ] {
            let options = Options { journal, compat, ..Options::new(vec![root.clone()], values.clone()) };
            let server = FileServer::open(&options).unwrap();
            if let Err(error) = server.toolbox().build() {
                panic!("{error}");
            }
            assert!(server.endpoint().is_ok());
        }
    }
}
