//! The types of the table of clients.
use std::time::Duration;

/// What is known about one client.
#[derive(Debug)]
pub struct ClientFacts {
    /// What people type.
    pub word: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Its values of `clientInfo.name`. A value that ends in `*` is the beginning of one.
    pub info_names: &'static [&'static str],
    /// Where most of the facts come from.
    pub grade: Grade,
    pub files: &'static [ConfigFile],
    /// What it means by an address without a type.
    pub bare_url: BareUrl,
    /// What of the text it replaces before it starts a server.
    pub substitution: &'static str,
    /// Whether it can ask the person a question of a server.
    pub elicitation: KnownFact,
    /// Whether it tells a server its folders.
    pub roots: KnownFact,
    /// How long a call of a tool may take. None without a limit.
    pub call_limit: Limit,
    pub environment: ChildEnvironment,
    pub rewrites: RewriteTime,
    /// Whether it takes a folder `FILE.lock` while it writes.
    pub locks: bool,
    /// What makes it read its file again.
    pub reload: &'static str,
}

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The vendor's documentation.
    Documented,
    /// The source code.
    Source,
    /// A thread or another project's documentation.
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

/// Whether a client can do something, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownFact {
    Yes,
    No,
    Unknown,
}

/// What an address without a type is.
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
    /// This long, whatever is reported.
    Fixed(Duration),
    /// This long without a report of progress.
    Silence(Duration),
    Unknown,
}

/// What a server sees of the client's environment.
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
    /// While it runs, from what it read at its start: other changes are lost. The names of its
    /// processes.
    FromMemory(&'static [&'static str]),
}

/// A file of a client.
#[derive(Debug)]
pub struct ConfigFile {
    pub base: Base,
    /// Below the base.
    pub path: &'static str,
    /// A variable that names another folder for it.
    pub variable: Option<&'static str>,
    pub syntax: Syntax,
    pub servers: Servers,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Home,
    /// Where applications keep their settings: `~/.config`, or `~/Library/Application Support`.
    Applications,
    /// The current folder.
    Project,
}

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON. Comments and trailing commas are read, because several clients write them.
    Json,
    Toml,
    Yaml,
}

/// Where the servers are in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// In this member of the file.
    Member(&'static str),
    /// In `mcpServers` of the file and of each entry of `projects`.
    Projects,
    /// Wherever a known client has them: for a file that no known client has.
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

    /// JSON where applications keep their settings.
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
