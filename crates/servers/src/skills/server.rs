//! Assembles the skills server.
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use overt_toolbox::{DeclarationError, Server, Toolbox, ToolboxEndpoint};

use super::about;
use super::build::{Sources, StartError};
use super::docs::{self, Docs};
use super::library::{Library, Overview};
use super::options::{NAME, Options};
use super::prompt;
use super::resources;
use super::tools;
use super::watching::WatchedFolders;
use crate::files::OpenError;
use crate::files::access::Roots;

/// Entries per page. An entry is small, and a client with thousands of skills wants few pages.
const PAGE: usize = 200;

/// The skills server.
#[derive(Debug)]
pub struct SkillServer {
    library: Arc<Library>,
    docs: Option<Arc<Docs>>,
    options: Options,
    /// Taken when watching begins; `None` if the system cannot watch folders.
    watched: Mutex<Option<WatchedFolders>>,
}

/// The reason why the server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum SkillsError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Contract(#[from] StartError),
}

impl SkillServer {
    /// Reads all skills. Folders are watched from here on, but changes are read only once
    /// [`watch`](Self::watch) runs.
    pub fn open(options: Options) -> Result<Self, SkillsError> {
        let paths: Vec<PathBuf> = options.roots.iter().map(|root| root.path.clone()).collect();
        let roots = Roots::open(&paths, &[])?;
        let shown = options.roots.iter().map(|root| root.shown.clone()).collect();
        let mut watched = match WatchedFolders::start() {
            Ok(watched) => Some(watched),
            Err(error) => {
                tracing::warn!(%error, "changes of the skills are not noticed: the system can't watch folders");
                None
            }
        };
        let sources = Sources { roots, shown, serve: options.serve };
        let library = Library::open(sources, &mut |folder| {
            if let Some(watched) = &mut watched {
                watched.enter(folder);
            }
        })?;
        if watched.as_ref().is_some_and(WatchedFolders::is_incomplete) {
            tracing::warn!(
                "there are more folders than can be watched; changes in some of them are not noticed"
            );
        }
        let docs = options.docs.as_ref().map(Docs::open).transpose()?.map(Arc::new);
        Ok(Self { library: Arc::new(library), docs, options, watched: Mutex::new(watched) })
    }

    /// What is served, and the problems of everything that is not.
    pub fn overview(&self) -> Overview {
        self.library.overview()
    }

    /// The server as an endpoint.
    pub fn endpoint(&self) -> Result<Arc<ToolboxEndpoint>, DeclarationError> {
        let options = &self.options;
        let server = Server::new(NAME, env!("CARGO_PKG_VERSION"), &about::instructions(options))
            .title("Skills")
            .description(about::DESCRIPTION)
            .without_logs()
            .declare(about::record(&options.enforced));
        let skills = Arc::<Library>::clone(&self.library);
        let mut toolbox = Toolbox::new(server)
            .project(options.project.clone())
            .page_size(PAGE)
            .skills(skills)
            .resource(resources::index(&self.library));
        toolbox = resources::templates(&self.library).into_iter().fold(toolbox, Toolbox::template);
        if let Some(docs) = &self.docs {
            toolbox = toolbox.template(docs::template(Arc::clone(docs)));
        }
        if options.tools {
            toolbox = tools::all(&self.library).into_iter().fold(toolbox, Toolbox::tool);
        }
        if options.prompts {
            toolbox = toolbox.prompt(prompt::use_skill(&self.library));
        }
        toolbox.build()
    }

    /// Reads changes on disk and announces them to the clients of the endpoint, for as long as the
    /// server lives. Call it once, inside a runtime.
    pub fn watch(&self, endpoint: &ToolboxEndpoint) {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(watched) = watched {
            tokio::spawn(watched.run(Arc::downgrade(&self.library), endpoint.changes().clone()));
        }
    }
}
