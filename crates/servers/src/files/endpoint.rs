//! Opens the file server and builds an endpoint from its tools.
use std::sync::Arc;

use overt_layers::record::ToolRecord;
use overt_toolbox::{DeclarationError, GrantedPlaces, Server, Tool, Toolbox, ToolboxEndpoint};

use super::about::ServerMode;
use super::access::{AbsolutePath, OpenError, Roots};
use super::apps;
use super::granted::Places;
use super::journal::Journal;
use super::options::{NAME, Options};
use super::resources;
use super::server::FileServer;
use super::tools;
use super::walk::Snapshots;
use super::watching::WatchService;
use super::work::Workers;
use super::write::{Claims, Disk, Durability, Sweeper, recover};

/// Default size limit of the journal, in bytes.
const JOURNAL_MAX_BYTES: u64 = 1 << 30;

impl FileServer {
    pub fn open(options: &Options) -> Result<Arc<Self>, OpenError> {
        Self::open_with(options, Sweeper::default())
    }

    /// Opens the server with a given sweeper of unfinished files.
    pub(crate) fn open_with(options: &Options, sweeper: Sweeper) -> Result<Arc<Self>, OpenError> {
        let settings = &options.settings;
        let roots = Roots::open(&options.roots, &options.grantable)?;
        let journal = match (&options.journal, settings.get("journal_max_bytes").unwrap_or(JOURNAL_MAX_BYTES))
        {
            (Some(path), most) if most > 0 => Some(Arc::new(Journal::open(path, most)?)),
            _ => None,
        };
        let durability = match settings.get::<String>("durability").as_deref() {
            Some("rename") => Durability::Rename,
            _ => Durability::Fsync,
        };
        let roots = roots.without(journal.as_ref().map(|journal| journal.folder.path.clone()));
        let roots = if options.is_worker { roots.of_worker() } else { roots };
        let beyond = options.workers.as_ref().map(|_| &options.protected[..]);
        let roots = Arc::new(beyond.into_iter().fold(roots, Roots::with_places_beyond));
        let folders = options.client_folders.iter().filter_map(|(folder, usual)| {
            Some((AbsolutePath::from_system(folder.to_str()?)?, usual.clone()))
        });
        let server = Arc::new(Self {
            client_folders: folders.collect(),
            places: options.workers.as_ref().map(|starter| Arc::new(Places::new(&roots, starter))),
            roots,
            workers: Workers::default(),
            watching: WatchService::default(),
            sandbox: options.sandbox.clone(),
            claims: Claims::default(),
            disk: Disk::new(durability),
            sweeper,
            recent: tools::RecentReads::default(),
            snapshots: Snapshots::default(),
            journal,
            settings: options.settings.clone(),
            compat: options.compat,
            project: options.project.clone(),
            enforced: options.enforced.clone(),
            is_literal: options.is_literal,
        });
        recover(&server);
        Ok(server)
    }

    /// Returns the server as an endpoint, with all its tools. The same start options always give
    /// the same declarations, and a test checks those of each combination.
    pub fn endpoint(self: &Arc<Self>) -> Result<Arc<ToolboxEndpoint>, DeclarationError> {
        self.toolbox().build()
    }

    fn toolbox(self: &Arc<Self>) -> Toolbox {
        let mode = self.mode();
        let server = Server::new(NAME, env!("CARGO_PKG_VERSION"), &mode.instructions())
            .title("Files")
            .description(mode.description())
            .only_reads(mode.is_read_only)
            .without_logs()
            .declare(mode.record(&self.enforced))
            .literal_items(self.is_literal)
            .settings(self.settings.clone());
        let tools = tools::all(self);
        let tools = match self.compat {
            Some(compat) => compat.tools(self, tools),
            None => tools,
        };
        let toolbox = Toolbox::new(server).project(self.project.clone());
        let toolbox = match self.compat {
            Some(_) => toolbox,
            None => apps::all().into_iter().fold(toolbox.template(resources::template(self)), Toolbox::app),
        };
        let beside = |tool: Tool| if self.compat.is_none() { apps::attach_page(tool) } else { tool };
        let explained = |tool: Tool| {
            let (roots, compat) = (Arc::clone(&self.roots), self.compat);
            let reword = move |error| match compat {
                Some(compat) => compat.reword(error),
                None => error,
            };
            tool.explain_denial(move |arguments, settings| {
                tools::outside(&roots, arguments, settings).map(reword)
            })
        };
        let places = self.places.clone().map(|places| places as Arc<dyn GrantedPlaces>);
        let granted = |tool: Tool| match &places {
            Some(places) => tool.granted_places(places),
            None => tool,
        };
        let tools = tools.into_iter().map(|tool| granted(explained(beside(self.limited(tool)))));
        tools.fold(toolbox, Toolbox::tool)
    }

    /// Declares the tool's rate limit, if the operator enforces one (D-12).
    fn limited(&self, tool: Tool) -> Tool {
        match self.enforced.tool_rate_limit {
            Some(limit) => {
                let record = tool.record().clone();
                tool.declare(ToolRecord { rate_limit: Some(limit), ..record })
            }
            None => tool,
        }
    }

    fn mode(&self) -> ServerMode {
        ServerMode {
            compat: self.compat,
            is_read_only: self.settings.get("read_only").unwrap_or_default(),
            has_journal: self.journal.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use overt_policy::record::{Effect, Hints};
    use overt_settings::{DeclaredSettings, Origin, SettingValue, SettingValues, SourceValues};

    use super::super::sandbox::Sandbox;
    use super::super::{Compat, settings};
    use super::*;

    /// Checks the declarations for each way to start the server, because they are trusted at each
    /// start. No text may name a tool that is missing, or claim a sandbox that is not in force
    /// (FS-44).
    #[test]
    fn what_the_server_declares_is_right() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("top");
        std::fs::create_dir(&root).unwrap();
        let values = SettingValues::from(DeclaredSettings::new(settings()).unwrap());
        let mut read_only = SourceValues::default();
        read_only.set("read_only", SettingValue::Flag(true), Origin::Default);
        let manners = [values.clone(), values.over(read_only)].into_iter().flat_map(|values| {
            let journals = [None, Some(place.path().join("journal"))].into_iter();
            let all =
                journals.flat_map(|journal| [(journal.clone(), None), (journal, Some(Compat::Official))]);
            all.map(move |(journal, compat)| (values.clone(), journal, compat))
        });
        let sandboxes = [Sandbox::Off, Sandbox::Full, Sandbox::Partial, Sandbox::Absent].into_iter().cycle();
        for ((values, journal, compat), sandbox) in manners.zip(sandboxes) {
            let options = Options {
                journal,
                compat,
                sandbox: sandbox.clone(),
                ..Options::new(vec![root.clone()], values)
            };
            let server = FileServer::open(&options).unwrap();
            if let Err(error) = server.toolbox().build() {
                panic!("{error}");
            }
            assert!(server.endpoint().is_ok());
            // G-29: what differs from machine to machine is in the answer of `list_roots`.
            assert!(!server.mode().description().contains("andbox"));
            let tools = match compat {
                Some(compat) => compat.tools(&server, tools::all(&server)),
                None => tools::all(&server),
            };
            let said = server.mode().instructions();
            for name in said.split('`').skip(1).step_by(2) {
                assert!(tools.iter().any(|tool| tool.name() == name), "{name}: {said}");
            }
            // Every tool sets all four hints. In the protocol, a change that is not purely additive
            // is destructive (G-11).
            for tool in &tools {
                let (hints, is_read) = (tool.record().hints(), tool.record().effect == Some(Effect::Read));
                let destroys = !is_read && !["create_directory", "copy_file"].contains(&tool.name());
                let expected = Hints {
                    read_only: Some(is_read),
                    destructive: Some(destroys),
                    idempotent: Some(is_read),
                    open_world: Some(false),
                };
                assert_eq!(hints, expected, "{}", tool.name());
            }
            let is_read_only: bool = server.settings.get("read_only").unwrap();
            assert_eq!(said.contains("`write_file`"), !is_read_only, "{said}");
        }
    }
}
