//! Whether the process that runs this command acts for a person.
use std::path::Path;

use overt_layers::grants::StoreError;
use overt_layers::person::{Channel, Person, PersonCheck};
use overt_state::grants::{ClientProcess, SqliteStore};
use overt_state::passphrase::Passphrase;
use overt_wire::Principal;

use crate::answerer::{AnswererProcess, Doubt, ProcFiles, doubt};
use crate::environment::OperatorEnvironment;
use crate::not_answerer::NotAnswerer;

/// The process that is about to make a person's change.
#[derive(Debug, Clone, Copy)]
pub struct Answerer<'a> {
    pub state: &'a Path,
    pub environment: &'a dyn OperatorEnvironment,
    pub channel: Channel,
}

/// The process that showed earlier that a person uses it. It is checked again at each change.
#[derive(Debug, Clone, Copy)]
pub struct ProvenAnswerer<'a> {
    pub answerer: Answerer<'a>,
    pub proof: PersonProof,
}

/// The evidence that a person acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonProof {
    /// A terminal that none of the known clients opened.
    Terminal,
    Passphrase,
}

impl Answerer<'_> {
    /// Returns the evidence that a person acts. A passphrase that was given is checked even if the
    /// terminal would be enough.
    pub fn prove(&self) -> Result<PersonProof, NotAnswerer> {
        let doubt = match self.doubt()? {
            None if !self.environment.brings_passphrase() => return Ok(PersonProof::Terminal),
            doubt => doubt.unwrap_or(Doubt::NoTerminal),
        };
        let passphrase = Passphrase::of(self.state);
        if !passphrase.is_set().map_err(NotAnswerer::Unchecked)? {
            return Err(NotAnswerer::NoPassphrase(doubt));
        }
        if !self.environment.can_give_passphrase() {
            return Err(NotAnswerer::NotGiven(doubt));
        }
        self.check_passphrase(&passphrase, &doubt.to_string()).map(|()| PersonProof::Passphrase)
    }

    /// Succeeds if the right passphrase is given. `why` tells a person who must type it why it is
    /// needed.
    pub fn check_passphrase(&self, passphrase: &Passphrase, why: &str) -> Result<(), NotAnswerer> {
        let given = self.environment.passphrase(why)?;
        match passphrase.matches(&given).map_err(NotAnswerer::Unchecked)? {
            true => Ok(()),
            false => Err(NotAnswerer::Wrong),
        }
    }

    /// Succeeds if the terminal shows that a person acts. Asks nothing.
    fn check_terminal(&self) -> Result<(), NotAnswerer> {
        self.doubt()?.map_or(Ok(()), |doubt| Err(NotAnswerer::NoPassphrase(doubt)))
    }

    fn doubt(&self) -> Result<Option<Doubt>, NotAnswerer> {
        let circumstances = AnswererProcess {
            pid: std::process::id(),
            reads_terminal: self.environment.reads_terminal(),
            variables: &|name| self.environment.is_set(name),
            clients: &self.clients().map_err(NotAnswerer::Store)?,
        };
        Ok(doubt(&ProcFiles, circumstances))
    }

    fn clients(&self) -> Result<Vec<ClientProcess>, StoreError> {
        let store = SqliteStore::open_if_there(self.state)?;
        store.map_or_else(|| Ok(Vec::new()), |store| store.clients())
    }
}

impl PersonCheck for Answerer<'_> {
    type Refusal = NotAnswerer;

    fn person(&self) -> Result<Person, NotAnswerer> {
        self.prove().map(|_| self.anybody())
    }

    fn anybody(&self) -> Person {
        Person { principal: Principal::local(), channel: self.channel }
    }
}

impl PersonCheck for ProvenAnswerer<'_> {
    type Refusal = NotAnswerer;

    /// A client may have started above this process meanwhile.
    fn person(&self) -> Result<Person, NotAnswerer> {
        match self.proof {
            PersonProof::Passphrase => Ok(self.anybody()),
            PersonProof::Terminal => self.answerer.check_terminal().map(|()| self.anybody()),
        }
    }

    fn anybody(&self) -> Person {
        self.answerer.anybody()
    }
}
