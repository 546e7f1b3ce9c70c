//! The types of the table of clients.
use std::time::Duration;

/// What is known about one client.
#[derive(Debug)]
pub struct ClientFacts {
    /// The word that people type.
    pub word: &'static str,
    /// The name that people know.
    pub name: &'static str,
    /// Its values of `clientInfo.name`. A value that ends in `*` is a prefix.
    pub info_names: &'static [&'static str],
    /// The source of most of the facts.
    pub grade: Grade,
    pub files: &'static [ConfigFile],
    /// How it interprets an address without a type.
    pub bare_url: BareUrl,
    /// The references that it replaces in a configuration before it starts a server.
    pub substitution: &'static str,
    /// Whether it can ask the person a question from a server.
    pub elicitation: KnownFact,
    /// Whether it tells a server its folders.
    pub roots: KnownFact,
    /// How long a tool call may take.
    pub call_limit: Limit,
    pub environment: ChildEnvironment,
    pub rewrites: RewriteTime,
    /// Whether it holds a lock folder `FILE.lock` while it writes.
    pub locks: bool,
    /// What the person must do so that it reads its file again.
    pub reload: &'static str,
}

/// The source of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The vendor's documentation.
    Documented,
    /// The source code.
    Source,
    /// A discussion thread or another project's documentation.
    Reported,
}

impl Grade {
    pub fn words(self) -> &'static str {
        match self {
            Self::Documented => "its documentation",
            Self::Source => "its source code",
            Self::Reported => "reports",
        }
    }
}

/// Whether a client can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownFact {
    Yes,
    No,
    Unknown,
}

/// How a client interprets an address without a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareUrl {
    Http,
    Sse,
}

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The client waits for as long as the call takes.
    Endless,
    /// This long, with or without progress reports.
    Fixed(Duration),
    /// This long without a progress report.
    Silence(Duration),
    Unknown,
}

/// Which variables of the client's environment a server sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEnvironment {
    All,
    /// A short list without `XDG_*`.
    Few,
    Unknown,
}

/// When the client writes its file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteTime {
    /// Only when a person changes something in it.
    OnRequest,
    /// Often while it runs. It reads the file again before it writes.
    Often,
    /// While it runs, from what it read when it started: other changes are lost. Holds the names of
    /// its processes.
    FromMemory(&'static [&'static str]),
}

/// A configuration file of a client.
#[derive(Debug)]
pub struct ConfigFile {
    pub base: Base,
    /// The path below the base.
    pub path: &'static str,
    /// An environment variable that names another folder for the file.
    pub variable: Option<&'static str>,
    pub syntax: Syntax,
    pub servers: Servers,
}

/// The folder in which a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Home,
    /// The folder where applications keep their settings: `~/.config`, or `~/Library/Application
    /// Support`.
    Applications,
    /// The current folder.
    Project,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON. Comments and trailing commas are accepted, because several clients write them.
    Json,
    Toml,
    Yaml,
}

/// Where a file lists the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// In this member of the file's object.
    Member(&'static str),
    /// In `mcpServers` of the file and of each entry of `projects`.
    Projects,
    /// Wherever any known client keeps them: for a file of an unknown client.
    Anywhere,
}

impl Limit {
    pub(super) const fn fixed(seconds: u64) -> Self {
        Self::Fixed(Duration::from_secs(seconds))
    }

    pub(super) const fn silence(seconds: u64) -> Self {
        Self::Silence(Duration::from_secs(seconds))
    }
}

impl ConfigFile {
    const fn new(base: Base, path: &'static str, servers: Servers) -> Self {
        Self { base, path, variable: None, syntax: Syntax::Json, servers }
    }

    /// JSON below the home folder.
    pub(super) const fn home(path: &'static str, servers: Servers) -> Self {
        Self::new(Base::Home, path, servers)
    }

    /// JSON in the folder where applications keep their settings.
    pub(super) const fn applications(path: &'static str, servers: Servers) -> Self {
        Self::new(Base::Applications, path, servers)
    }

    /// JSON in the current folder.
    pub(super) const fn project(path: &'static str, servers: Servers) -> Self {
        Self::new(Base::Project, path, servers)
    }

    pub(super) const fn syntax(self, syntax: Syntax) -> Self {
        Self { syntax, ..self }
    }

    pub(super) const fn variable(self, name: &'static str) -> Self {
        Self { variable: Some(name), ..self }
    }
}
