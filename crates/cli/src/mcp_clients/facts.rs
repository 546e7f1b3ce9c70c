//! The types of the table of clients.
use std::time::Duration;

/// What is known about one client.
#[derive(Debug)]
pub(crate) struct ClientFacts {
    /// What people type.
    pub(crate) word: &'static str,
    /// What people call it.
    pub(crate) name: &'static str,
    /// Its values of `clientInfo.name`. A value that ends in `*` is the beginning of one.
    pub(crate) info_names: &'static [&'static str],
    /// Where most of the facts come from.
    pub(crate) grade: Grade,
    pub(crate) files: &'static [ConfigFile],
    /// What it means by an address without a type.
    pub(crate) bare_url: BareUrl,
    /// What of the text it replaces before it starts a server.
    #[expect(dead_code, reason = "for people who read the table")]
    pub(crate) substitution: &'static str,
    /// Whether it can ask the person a question of a server.
    pub(crate) elicitation: KnownFact,
    /// Whether it tells a server its folders.
    #[expect(dead_code, reason = "for people who read the table")]
    pub(crate) roots: KnownFact,
    /// How long a call of a tool may take. None without a limit.
    pub(crate) call_limit: Limit,
    pub(crate) environment: ChildEnvironment,
    pub(crate) rewrites: RewriteTime,
    /// Whether it takes a folder `FILE.lock` while it writes.
    pub(crate) locks: bool,
    /// What makes it read its file again.
    pub(crate) reload: &'static str,
}

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grade {
    /// The vendor's documentation.
    Documented,
    /// The source code.
    Source,
    /// A thread or another project's documentation.
    Reported,
}

impl Grade {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Documented => "its documentation",
            Self::Source => "its source code",
            Self::Reported => "reports",
        }
    }
}

/// Whether a client can do something, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownFact {
    Yes,
    No,
    Unknown,
}

/// What an address without a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BareUrl {
    Http,
    Sse,
}

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
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
pub(crate) enum ChildEnvironment {
    All,
    /// A short list without `XDG_*`.
    Few,
    Unknown,
}

/// When the client writes its file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RewriteTime {
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
pub(crate) struct ConfigFile {
    pub(crate) base: Base,
    /// Below the base.
    pub(crate) path: &'static str,
    /// A variable that names another folder for it.
    pub(crate) variable: Option<&'static str>,
    pub(crate) syntax: Syntax,
    pub(crate) servers: Servers,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Home,
    /// Where applications keep their settings: `~/.config`, or `~/Library/Application Support`.
    Applications,
    /// The current folder.
    Project,
}

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON. Comments and trailing commas are read, because several clients write them.
    Json,
    Toml,
    Yaml,
}

/// Where the servers are in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Servers {
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
