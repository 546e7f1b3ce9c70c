//! Finds the remembered server that the arguments mean.
use overt_gateway::pins::{Entry, Identity, Record};

use super::context::PinsContext;
use crate::failure::{Complaint, Failure};
use crate::near::valid_names;
use crate::settings::{Server, current_project, remembered_identity};

/// The named server is not remembered or not unique, or no server was named.
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

impl PinsContext<'_> {
    /// Returns the server that was named, or all servers if none was named.
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

    /// Returns the one server that is meant.
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
