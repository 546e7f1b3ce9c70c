//! The changes to each file of a client.
use overt_clients::files::{
    Document, EntryId, Launch, Managed, ManagedFolders, Refusal, SpliceError, Spliced, Wrapper, launch,
    own_server, splice, wrap,
};
use overt_layers::grants::SeenTool;
use overt_policy::Trust;

use crate::commands::login::login_of;
use crate::error::Diagnostic;
use crate::output::{FileReport, ServerReport, file_diff};
use crate::settings::{FoundFile, StateDir, WhichServers};

/// A file, and what to do with each of its servers.
#[derive(Debug)]
pub(super) struct FilePlan {
    pub(super) file: FoundFile,
    /// The file as it is, or why it can't be used.
    pub(super) document: Result<Document, String>,
    pub(super) servers: Vec<ServerPlan>,
    /// `None` if nothing changes.
    pub(super) spliced: Option<Spliced>,
}

#[derive(Debug)]
pub(super) struct ServerPlan {
    pub(super) id: EntryId,
    pub(super) action: Action,
    /// The definitions of its tools that the person was shown.
    pub(super) shown: Vec<SeenTool>,
}

/// What to do with a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Put Overt in front of it, with this trust.
    Wrap(Trust),
    /// Replace it with `overt fs`.
    OwnFiles,
    /// Nothing: it is wrapped already, or it is one of Overt's own servers.
    Nothing,
    /// Leave it as it is, because the person wants that.
    Skip,
    Refuse(Refusal),
}

/// The package of the official file server, and its program.
const FILE_SERVER: &str = "@modelcontextprotocol/server-filesystem";
const FILE_SERVER_PROGRAM: &str = "mcp-server-filesystem";

impl FilePlan {
    /// Reads a file and plans to wrap every server that can be wrapped.
    pub(super) fn new(file: &FoundFile, which: &WhichServers, folders: &ManagedFolders) -> Self {
        let document = file.document().map_err(|error| error.chain());
        let lists = file.clients.iter().map(|client| Managed::of_client(client.word, folders));
        let managed: Result<Vec<Managed>, Refusal> = lists.collect();
        let servers = document.as_ref().map(|document| {
            let entries = document.entries().iter().filter(|entry| which.includes(&entry.id.name));
            let plan = |entry: &overt_clients::files::Entry| {
                let action = match launch(&entry.node, file.bare_url) {
                    Err(refusal) => Action::Refuse(refusal),
                    Ok(Launch::Wrapped(_) | Launch::Own) => Action::Nothing,
                    Ok(launch @ (Launch::Program(_) | Launch::Remote(_))) => {
                        match refused(&managed, &entry.id.name, &launch) {
                            Some(refusal) => Action::Refuse(refusal),
                            None => Action::Wrap(Trust::Changes),
                        }
                    }
                };
                ServerPlan { id: entry.id.clone(), action, shown: Vec::new() }
            };
            entries.map(plan).collect()
        });
        let servers = servers.unwrap_or_default();
        Self { file: file.clone(), document, servers, spliced: None }
    }

    /// Makes the edits. A server that can't be edited is left as it is.
    pub(super) fn splice(&mut self, wrapper: &Wrapper, state: &StateDir) -> Result<(), SpliceError> {
        let Ok(document) = &self.document else { return Ok(()) };
        let login = |url: &str| login_of(url, state);
        let mut edits = Vec::new();
        for server in &mut self.servers {
            let Some(entry) = document.entry(&server.id) else { continue };
            let Ok(launch) = launch(&entry.node, self.file.bare_url) else { continue };
            let made = match (&server.action, &launch) {
                (Action::Wrap(_), launch) => wrap(document, entry, launch, wrapper, &login),
                (Action::OwnFiles, Launch::Program(program)) => own_server(
                    document,
                    entry,
                    program,
                    wrapper,
                    file_roots(&program.words).unwrap_or_default(),
                ),
                _ => continue,
            };
            match made {
                Ok(made) => edits.extend(made),
                Err(refusal) => server.action = Action::Refuse(refusal),
            }
        }
        if !edits.is_empty() {
            self.spliced = Some(splice(document, edits)?);
        }
        Ok(())
    }

    pub(super) fn report(&self) -> FileReport {
        let before = self.document.as_ref().map(Document::text).unwrap_or_default();
        let after = self.spliced.as_ref().map_or(before, |spliced| spliced.document.text());
        let servers = self.servers.iter().map(|server| {
            let (outcome, note) = match &server.action {
                Action::Wrap(_) => ("wrap", None),
                Action::OwnFiles => ("use `overt fs`", None),
                Action::Nothing => ("wrapped already", None),
                Action::Skip => ("left alone", None),
                Action::Refuse(refusal) => ("left alone", Some(refusal.to_string())),
            };
            ServerReport { name: server.id.name.clone(), outcome, note }
        });
        FileReport {
            file: self.file.path.clone(),
            clients: self.file.client_names(),
            servers: servers.collect(),
            diff: file_diff(&self.file.path, before, after),
            problem: self.document.as_ref().err().cloned(),
            ..FileReport::default()
        }
    }
}

/// Returns why an administrator forbids the server, by the managed lists of all clients that read
/// the file.
fn refused(managed: &Result<Vec<Managed>, Refusal>, name: &str, launch: &Launch<'_>) -> Option<Refusal> {
    let lists = match managed {
        Ok(lists) => lists,
        Err(refusal) => return Some(refusal.clone()),
    };
    lists.iter().find_map(|list| match launch {
        Launch::Program(program) => list.refusal(name, &program.words, None),
        Launch::Remote(remote) => list.refusal(name, &[], Some(remote.url)),
        Launch::Wrapped(_) | Launch::Own => None,
    })
}

/// The last index at which a word can be the program, as in `node SCRIPT`.
const LAST_OF_PROGRAM: usize = 1;

/// Returns the folders that the official file server serves, if the words start it.
pub(super) fn file_roots<'a, 'b>(words: &'b [&'a str]) -> Option<&'b [&'a str]> {
    // The package, optionally with a version after a second `@`.
    let is_package = |word: &str| {
        word.strip_prefix(FILE_SERVER).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    };
    // An installed program, by its name or by the path of its script.
    let is_program = |word: &str| {
        word.rsplit('/').next() == Some(FILE_SERVER_PROGRAM)
            || word.split_once(FILE_SERVER).is_some_and(|(before, rest)| {
                before.ends_with('/') && rest.starts_with('/') && rest.ends_with(".js")
            })
    };
    let starts = |(at, word): (usize, &&str)| is_package(word) || (at <= LAST_OF_PROGRAM && is_program(word));
    let at = words.iter().enumerate().position(starts)?;
    let roots = &words[at + 1..];
    let is_plain = roots.iter().all(|root| !root.starts_with('-'));
    (is_plain && !roots.is_empty()).then_some(roots)
}

impl Diagnostic for SpliceError {
    fn hint(&self) -> Option<String> {
        Some("nothing was written; edit the file by hand, and report its shape".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_official_file_server_is_recognised_however_it_is_started() {
        for (command, roots) in [
            ("npx -y @modelcontextprotocol/server-filesystem /a /b", Some("/a /b")),
            ("npx @modelcontextprotocol/server-filesystem@2026.1.2 .", Some(".")),
            ("mcp-server-filesystem /a", Some("/a")),
            ("node node_modules/.bin/mcp-server-filesystem /a", Some("/a")),
            ("node /lib/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js /a", Some("/a")),
            // No folder is served, or there are options that `overt fs` does not know.
            ("npx -y @modelcontextprotocol/server-filesystem", None),
            ("mcp-server-filesystem --new /a", None),
            // Another server, or a folder or package with a similar name.
            ("npx -y server-git --repository /src/mcp-server-filesystem /a", None),
            ("npx -y @modelcontextprotocol/server-filesystem-extra /a", None),
            ("my-mcp-server-filesystem /a", None),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            let found = file_roots(&words).map(|roots| roots.join(" "));
            assert_eq!(found.as_deref(), roots, "{command}");
        }
    }
}
