//! Whether the process that runs this command may answer questions.
use std::io::{self, BufRead as _, Read as _};
use std::path::Path;

use overt_layers::grants::StoreError;
use overt_state::grants::{ClientProcess, SqliteStore};
use overt_state::passphrase::{MOST_BYTES, Passphrase, PassphraseError};

use super::hidden_line::{HiddenLine, read_hidden_line};
use crate::answerer::{AnswererProcess, Doubt, ProcFiles, doubt};
use crate::args::PassphraseSource;
use crate::error::{Diagnostic, ErrorKind};
use crate::output::Printer;
use crate::settings::Env;

/// The process that is about to answer a question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answerer<'a> {
    pub(crate) state: &'a Path,
    pub(crate) env: &'a Env,
    pub(crate) passphrase: PassphraseSource,
}

/// The evidence that a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PersonProof {
    /// A terminal that none of the known clients opened.
    Terminal,
    Passphrase,
}

/// The reason why this process may not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotAnswerer {
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

impl Diagnostic for NotAnswerer {
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
    pub(crate) fn remedy(&self) -> Option<&'static str> {
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

impl Answerer<'_> {
    /// Returns the evidence that a person answers. A passphrase that was given is checked even if
    /// the terminal would be enough.
    pub(crate) fn authorize(&self, printer: &Printer) -> Result<PersonProof, NotAnswerer> {
        let doubt = match (self.doubt()?, self.passphrase) {
            (None, PassphraseSource::Terminal) => return Ok(PersonProof::Terminal),
            (doubt, _) => doubt.unwrap_or(Doubt::NoTerminal),
        };
        let passphrase = Passphrase::of(self.state);
        if !passphrase.is_set().map_err(NotAnswerer::Unchecked)? {
            return Err(NotAnswerer::NoPassphrase(doubt));
        }
        let why = doubt.to_string();
        match (self.passphrase, self.env.can_ask()) {
            (PassphraseSource::Terminal, false) => Err(NotAnswerer::NotGiven(doubt)),
            _ => self.check_passphrase(&passphrase, &why, printer).map(|()| PersonProof::Passphrase),
        }
    }

    /// Succeeds if the terminal shows that a person answers. Asks nothing.
    pub(crate) fn check_terminal(&self) -> Result<(), NotAnswerer> {
        self.doubt()?.map_or(Ok(()), |doubt| Err(NotAnswerer::NoPassphrase(doubt)))
    }

    /// Succeeds if the right passphrase is given. `why` tells a person who must type it why it is
    /// needed.
    pub(super) fn check_passphrase(
        &self,
        passphrase: &Passphrase,
        why: &str,
        printer: &Printer,
    ) -> Result<(), NotAnswerer> {
        let given = match self.passphrase {
            PassphraseSource::Stdin => first_line(&mut io::stdin().lock()).map_err(NotAnswerer::Unread)?,
            PassphraseSource::Terminal => {
                printer.note(&format!("{why}; your passphrase shows that you answer"));
                read_passphrase("Passphrase: ", printer)?
            }
        };
        match passphrase.matches(&given).map_err(NotAnswerer::Unchecked)? {
            true => Ok(()),
            false => Err(NotAnswerer::Wrong),
        }
    }

    fn doubt(&self) -> Result<Option<Doubt>, NotAnswerer> {
        let is_set = |name: &str| self.env.variable(name).is_some_and(|value| !value.is_empty());
        let circumstances = AnswererProcess {
            pid: std::process::id(),
            reads_terminal: self.env.stdin_is_terminal,
            variables: &is_set,
            clients: &self.clients().map_err(NotAnswerer::Store)?,
        };
        Ok(doubt(&ProcFiles, circumstances))
    }

    fn clients(&self) -> Result<Vec<ClientProcess>, StoreError> {
        let store = SqliteStore::open_if_there(self.state)?;
        store.map_or_else(|| Ok(Vec::new()), |store| store.clients())
    }
}

/// Reads a passphrase that a person types.
pub(super) fn read_passphrase(prompt: &str, printer: &Printer) -> Result<String, NotAnswerer> {
    match read_hidden_line(prompt, printer).map_err(NotAnswerer::Unread)? {
        HiddenLine::Typed(line) => Ok(line),
        HiddenLine::CalledOff => Err(NotAnswerer::CalledOff),
        HiddenLine::Interrupted => Err(NotAnswerer::Interrupted),
    }
}

fn first_line(input: &mut dyn io::BufRead) -> io::Result<String> {
    let mut line = String::new();
    // Read more bytes than a passphrase can have. If a longer line were cut to the limit, its
    // beginning could match the passphrase.
    input.take(MOST_BYTES as u64 + 2).read_line(&mut line)?;
    let line = line.strip_suffix('\n').map_or(line.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_passphrase() {
        let of = |text: &str| first_line(&mut text.as_bytes()).unwrap();
        assert_eq!(of("correct horse\nmore\n"), "correct horse");
        assert_eq!(of("correct horse\r\n"), "correct horse");
        assert_eq!(of(" with spaces "), " with spaces ");
        assert_eq!(of(""), "");
        assert!(of(&"x".repeat(MOST_BYTES + 9)).len() > MOST_BYTES);
    }
}
