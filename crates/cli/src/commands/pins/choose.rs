//! Which of the servers that are remembered is meant.
use overt_gateway::pins::{Entry, Identity, Record};

use super::context::PinsContext;
use crate::failure::{Complaint, Failure};
use crate::near::valid_names;
use crate::settings::{Server, current_project, remembered_identity};

/// The server that was named is not remembered, or none was named.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChoiceError {
    #[error("no server is remembered")]
    Nothing,
    #[error("no server `{name}` is remembered; {valid}")]
    Unknown { name: String, valid: String },
    #[error("`{name}` can mean several servers: {ids}")]
    Ambiguous { name: String, ids: String },
    #[error("this server is remembered several times: {0}")]
    SeveralPlaces(String),
    #[error("no server is named, and {0} are remembered")]
    Unnamed(usize),
}

impl Complaint for ChoiceError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nothing => {
                "`overt run` remembers a server's tools when it is put in front of it".to_owned()
            }
            _ => "`overt pins list` shows the servers; the server comes before the tools".to_owned(),
        })
    }
}

impl PinsContext {
    /// The servers that are meant: the one that was named, else all.
    pub(super) fn chosen(&self) -> Result<Vec<Entry>, Failure> {
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
            (0, _) => Err(self.unknown()?.into()),
            (_, Server::Called(name)) => {
                Err(ChoiceError::Ambiguous { name: name.clone(), ids: ids(&entries) }.into())
            }
            (_, Server::At(_)) => Err(ChoiceError::SeveralPlaces(ids(&entries)).into()),
            (_, Server::Any) => Ok(entries),
        }
    }

    /// The one server that is meant.
    pub(super) fn chosen_one(&self) -> Result<Entry, Failure> {
        let mut entries = self.chosen()?;
        match (entries.pop(), entries.len()) {
            (Some(entry), 0) => Ok(entry),
            (Some(_), rest) => Err(ChoiceError::Unnamed(rest + 1).into()),
            (None, _) => Err(ChoiceError::Nothing.into()),
        }
    }

    fn unknown(&self) -> Result<ChoiceError, Failure> {
        let ids: Vec<String> = self.store.all()?.into_iter().map(|entry| entry.id).collect();
        if ids.is_empty() {
            return Ok(ChoiceError::Nothing);
        }
        let name = match &self.server {
            Server::Called(name) => name.clone(),
            Server::At(identity) => identity.text(),
            Server::Any => String::new(),
        };
        let valid = valid_names(&name, ids.iter().map(String::as_str));
        Ok(ChoiceError::Unknown { name, valid })
    }
}

/// By the beginning of its id, by its name in grants with or without the id, or by what is shown of
/// it.
fn is_called(entry: &Entry, name: &str) -> bool {
    let is_named = |record: &Record| {
        let whole = remembered_identity(&record.identity);
        record.identity.text() == name || whole == name || whole.split('#').next() == Some(name)
    };
    (name.len() >= SHORTEST && entry.id.starts_with(name)) || entry.record.as_ref().is_ok_and(is_named)
}

/// The same command line. Which variables are configured for it is not said here.
fn is_started_like(entry: &Entry, identity: &Identity) -> bool {
    entry.record.as_ref().is_ok_and(|record| record.identity.is_started_like(identity))
}

/// A server that is remembered in several directories is the one in the current directory.
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

/// How much of an id must be typed.
const SHORTEST: usize = 4;
