//! Why a process does not act for a person, and what the person can do.
use std::io;

use overt_layers::grants::StoreError;
use overt_state::passphrase::PassphraseError;

use crate::answerer::Doubt;
use crate::error::{ErrorKind, Explain};

/// The reason why this process may not answer.
#[derive(Debug, thiserror::Error)]
pub enum NotAnswerer {
    #[error("only a person can answer this: {0}")]
    NoPassphrase(Doubt),
    #[error("only a person can answer this: {0}, and the passphrase was not given")]
    NotGiven(Doubt),
    #[error("the passphrase is wrong")]
    Wrong,
    #[error("it was cancelled")]
    CalledOff,
    #[error("interrupted; nothing was changed")]
    Interrupted,
    #[error("the passphrase can't be read")]
    Unread(#[source] io::Error),
    #[error("the passphrase can't be checked")]
    Unchecked(#[source] PassphraseError),
    #[error("the clients that run can't be found")]
    Store(#[source] StoreError),
}

impl Explain for NotAnswerer {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted => ErrorKind::Interrupted,
            _ => ErrorKind::Outside,
        }
    }

    fn hint(&self) -> Option<String> {
        match (self, self.remedy()) {
            (_, Some(remedy)) => Some(format!("nothing was changed; {remedy}")),
            (Self::Wrong | Self::CalledOff, None) => Some("nothing was changed".to_owned()),
            (_, None) => None,
        }
    }
}

impl NotAnswerer {
    /// Returns what a person can do. The text must not teach an agent a way around the check.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NoPassphrase(Doubt::NoTerminal | Doubt::Detached) => {
                Some("the user answers in their own terminal")
            }
            Self::NoPassphrase(_) => Some(
                "the user answers in a terminal that this program did not open, or sets a passphrase there with \
                 `overt passphrase set`",
            ),
            Self::NotGiven(_) => Some(
                "the user answers in their own terminal, or a script of theirs gives the passphrase with \
                 `--passphrase-stdin`",
            ),
            Self::Wrong
            | Self::CalledOff
            | Self::Interrupted
            | Self::Unread(_)
            | Self::Unchecked(_)
            | Self::Store(_) => None,
        }
    }
}
