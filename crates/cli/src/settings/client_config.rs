//! Finds the clients' configuration files that a command works on.
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use overt_clients::files::Document;
use overt_clients::{ALL, BareUrl, ClientFacts, ClientFolders, ConfigFile, Scope, Servers, Syntax};

use super::Env;
use super::project::working_directory;
use super::source::read as read_text;
use crate::error::{CommandError, user_error};
use overt_operator::near::valid_names;

/// A file that exists, and the clients that read it.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// The path as people know it.
    pub(crate) path: PathBuf,
    /// The canonical path: links are followed, so that one file has one path.
    pub(crate) real: PathBuf,
    /// Empty for a file that belongs to no known client.
    pub(crate) clients: Vec<&'static ClientFacts>,
    pub(crate) syntax: Syntax,
    pub(crate) servers: Servers,
    pub(crate) bare_url: BareUrl,
    /// The folder of the project that the file belongs to; `None` for a file of the user.
    pub(crate) project: Option<PathBuf>,
}

/// Returns the files that the words name or, without words, the files of every client. Files that
/// do not exist are omitted.
pub(crate) fn find(words: &[String], env: &Env) -> Result<Vec<FoundFile>, CommandError> {
    let places = ClientFolders::new(|name| env.variable(name).map(OsStr::to_owned), working_directory());
    let mut found: Vec<FoundFile> = Vec::new();
    if words.is_empty() {
        ALL.iter().for_each(|client| add_client(client, &places, &mut found));
    }
    for word in words {
        let path = Path::new(word);
        if let Some(client) = overt_clients::by_word(word).filter(|_| !path.is_file()) {
            add_client(client, &places, &mut found);
        } else if path.is_file() {
            add(named(path, &places), &mut found);
        } else {
            let valid = valid_names(word, overt_clients::words());
            return Err(user_error(format!("`{word}` is neither a client nor a file"))
                .hinted(format!("name a file that exists, or a client: {valid}")));
        }
    }
    // A file that several clients read belongs to all of them, even if only one was named.
    for file in &mut found {
        for client in ALL {
            let is_read = || places.files(client).any(|(path, _)| is_same(&path, &file.real));
            if !file.clients.iter().any(|known| known.word == client.word) && is_read() {
                file.clients.push(client);
            }
        }
    }
    Ok(found)
}

fn add_client(client: &'static ClientFacts, places: &ClientFolders, found: &mut Vec<FoundFile>) {
    for (path, file) in places.files(client) {
        if path.is_file() {
            add(found_file(&path, client, file, places), found);
        }
    }
}

fn add(file: Option<FoundFile>, found: &mut Vec<FoundFile>) {
    let Some(file) = file else { return };
    match found.iter_mut().find(|known| known.real == file.real) {
        Some(known) => {
            let new = file
                .clients
                .into_iter()
                .filter(|client| !known.clients.iter().any(|other| other.word == client.word));
            let new: Vec<_> = new.collect();
            known.clients.extend(new);
        }
        None => found.push(file),
    }
}

fn found_file(
    path: &Path,
    client: &'static ClientFacts,
    file: &'static ConfigFile,
    places: &ClientFolders,
) -> Option<FoundFile> {
    let project = match file.scope() {
        Scope::Project => project_of(path, file.path),
        Scope::User => None,
    };
    // In the home folder itself, a project file is a file of the user.
    let project = project.filter(|project| places.home() != Some(project));
    Some(FoundFile {
        path: path.to_owned(),
        real: fs::canonicalize(path).ok()?,
        clients: vec![client],
        syntax: file.syntax,
        servers: file.servers,
        bare_url: client.bare_url,
        project,
    })
}

/// Describes a file by its path: a file of a known client, in this project or another, or any other
/// file.
fn named(path: &Path, places: &ClientFolders) -> Option<FoundFile> {
    let real = fs::canonicalize(path).ok()?;
    let whole = std::path::absolute(path).ok()?;
    for client in ALL {
        for (place, file) in places.files(client) {
            if is_same(&place, &real) {
                return Some(FoundFile {
                    path: path.to_owned(),
                    ..found_file(&place, client, file, places)?
                });
            }
        }
    }
    for client in ALL {
        let in_project = |file: &&ConfigFile| file.scope() == Scope::Project && whole.ends_with(file.path);
        if let Some(file) = client.files.iter().find(in_project) {
            return Some(FoundFile { path: path.to_owned(), ..found_file(&whole, client, file, places)? });
        }
    }
    let syntax = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => Syntax::Toml,
        Some("yaml" | "yml") => Syntax::Yaml,
        _ => Syntax::Json,
    };
    Some(FoundFile {
        path: path.to_owned(),
        real,
        clients: Vec::new(),
        syntax,
        servers: Servers::Anywhere,
        bare_url: BareUrl::Http,
        project: None,
    })
}

fn is_same(path: &Path, real: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|other| other == real)
}

/// The folder from which `path` was built by appending `below`.
fn project_of(path: &Path, below: &str) -> Option<PathBuf> {
    let levels = Path::new(below).components().count();
    path.ancestors().nth(levels).and_then(|folder| fs::canonicalize(folder).ok())
}

impl FoundFile {
    /// Reads the servers of the file.
    pub(crate) fn document(&self) -> Result<Document, CommandError> {
        let text = read_text(&self.real)?;
        Document::parse(text, self.syntax, self.servers).map_err(CommandError::user)
    }

    /// The names of the clients that read it.
    pub(crate) fn client_names(&self) -> String {
        match self.clients.as_slice() {
            [] => "Unknown client".to_owned(),
            clients => clients.iter().map(|client| client.name).collect::<Vec<_>>().join(", "),
        }
    }
}
