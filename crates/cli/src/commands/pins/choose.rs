//! Finds the remembered server that the arguments mean.
use overt_gateway::pins::{Entry, Identity, PinStore, Record};

use crate::context::CommandContext;
use crate::error::{CommandError, user_error};
use crate::settings::{Server, current_project, remembered_identity};
use overt_operator::near::valid_names;

/// What every `overt pins` command needs.
pub(super) struct PinsContext<'a> {
    pub(super) command: &'a CommandContext,
    pub(super) server: Server,
    pub(super) store: PinStore,
}

impl PinsContext<'_> {
    /// Returns the server that was named, or all servers if none was named.
    pub(super) fn chosen(&self) -> Result<Vec<Entry>, CommandError> {
        let mut entries = self.store.all()?;
        match &self.server {
            Server::Any => return Ok(entries),
            Server::At(identity) => entries.retain(|entry| is_started_like(entry, identity)),
            Server::Called(name) => entries.retain(|entry| is_called(entry, name)),
        }
        if entries.len() > 1 {
            prefer_here(&mut entries);
        }
        match (entries.len(), &self.server) {
            (1, _) => Ok(entries),
            (0, _) => Err(self.unknown()?),
            (_, Server::Called(name)) => {
                Err(unclear(format!("`{name}` can mean several servers: {}", ids(&entries))))
            }
            (_, Server::At(_)) => {
                Err(unclear(format!("this server is remembered several times: {}", ids(&entries))))
            }
            (_, Server::Any) => Ok(entries),
        }
    }

    /// Returns the one server that is meant.
    pub(super) fn chosen_one(&self) -> Result<Entry, CommandError> {
        let mut entries = self.chosen()?;
        match (entries.pop(), entries.len()) {
            (Some(entry), 0) => Ok(entry),
            (Some(_), rest) => Err(unclear(format!("no server is named, and {} are remembered", rest + 1))),
            (None, _) => Err(nothing_remembered()),
        }
    }

    fn unknown(&self) -> Result<CommandError, CommandError> {
        let ids: Vec<String> = self.store.all()?.into_iter().map(|entry| entry.id).collect();
        if ids.is_empty() {
            return Ok(nothing_remembered());
        }
        let name = match &self.server {
            Server::Called(name) => name.clone(),
            Server::At(identity) => identity.text(),
            Server::Any => String::new(),
        };
        let valid = valid_names(&name, ids.iter().map(String::as_str));
        Ok(unclear(format!("no server `{name}` is remembered; {valid}")))
    }
}

pub(super) fn nothing_remembered() -> CommandError {
    user_error("no server is remembered")
        .hinted("`overt run` remembers a server's tools when it is put in front of it")
}

fn unclear(message: String) -> CommandError {
    user_error(message).hinted("`overt pins list` shows the servers; the server comes before the tools")
}

/// Matches the start of the id, the name that grants use with or without its id, or the displayed
/// text.
fn is_called(entry: &Entry, name: &str) -> bool {
    let is_named = |record: &Record| {
        let whole = remembered_identity(&record.identity);
        record.identity.text() == name || whole == name || whole.split('#').next() == Some(name)
    };
    (name.len() >= SHORTEST && entry.id.starts_with(name)) || entry.record.as_ref().is_ok_and(is_named)
}

/// Says whether the server has this command line. The configured variables don't matter here.
fn is_started_like(entry: &Entry, identity: &Identity) -> bool {
    entry.record.as_ref().is_ok_and(|record| record.identity.is_started_like(identity))
}

/// If a server is remembered in several directories, keeps the one of the current directory.
fn prefer_here(entries: &mut Vec<Entry>) {
    let here = current_project();
    let is_here = |entry: &Entry| {
        entry.record.as_ref().is_ok_and(|record| record.identity.directory() == here.as_deref())
    };
    if entries.iter().any(is_here) {
        entries.retain(is_here);
    }
}

fn ids(entries: &[Entry]) -> String {
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    ids.join(", ")
}

/// How many characters of an id must be typed at least.
const SHORTEST: usize = 4;
