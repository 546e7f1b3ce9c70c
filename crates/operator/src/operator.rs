//! The process in which a person makes changes: who they are, where the changes are kept, and how
//! they are recorded.
use std::fmt;
use std::path::Path;

use overt_layers::audit::{Durability, Entry, Kind, Ledger as _, LedgerError};
use overt_layers::grants::{Clock, StoreError};
use overt_layers::person::{Authorised, Channel, NotDone, PersonAction, PersonCheck, act, refused};
use overt_layers::seal::random_name;
use overt_state::grants::SqliteStore;
use overt_wire::Principal;

use crate::environment::OperatorEnvironment;
use crate::error::{ErrorKind, Explain, OperatorError, outside_error, user_error};
use crate::not_answerer::NotAnswerer;
use crate::operator_log::{LogPlan, OperatorLog};
use crate::person_check::{Answerer, PersonProof, ProvenAnswerer};

/// The process in which a person makes changes.
#[derive(Clone)]
pub struct Operator<'a> {
    /// The state folder.
    pub state: &'a Path,
    pub environment: &'a dyn OperatorEnvironment,
    pub channel: Channel,
    /// How changes are recorded; `None` if nothing is.
    pub log: Option<LogPlan>,
    /// The project of the current folder.
    pub here: Option<String>,
    pub clock: Clock,
}

impl Explain for StoreError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }
}

impl Explain for LedgerError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("nothing was changed; `overt doctor` checks the log and its folder".to_owned())
    }
}

impl Explain for overt_gateway::pins::StoreError {
    fn hint(&self) -> Option<String> {
        Some(
            "what can't be read is never replaced: put the file right, or `overt pins forget SERVER`"
                .to_owned(),
        )
    }
}

impl<'a> Operator<'a> {
    /// Opens the store, or returns `None` if it was never created.
    pub fn store(&self) -> Result<Option<SqliteStore>, StoreError> {
        SqliteStore::open_if_there(self.state)
    }

    /// Opens the store, and creates it if necessary.
    pub fn new_store(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(self.state)
    }

    pub fn answerer(&self) -> Answerer<'a> {
        Answerer { state: self.state, environment: self.environment, channel: self.channel }
    }

    /// Returns the person check of a process that showed before that a person uses it.
    pub fn proven(&self, proof: PersonProof) -> ProvenAnswerer<'a> {
        ProvenAnswerer { answerer: self.answerer(), proof }
    }

    /// Returns proof that a person uses this process. A refused attempt is recorded once for each
    /// entry in `about`.
    pub fn prove(&self, about: impl IntoIterator<Item = Entry>) -> Result<PersonProof, OperatorError> {
        self.answerer().prove().map_err(|why| self.refuse(why, about))
    }

    /// Returns proof that a person uses this process, or the reason why there is no proof. A wrong
    /// passphrase is an error. Nothing is recorded, because a process that can only look attempts
    /// no change.
    pub fn prove_or_look(&self) -> Result<Result<PersonProof, NotAnswerer>, OperatorError> {
        match self.answerer().prove() {
            Ok(proof) => Ok(Ok(proof)),
            Err(refused @ (NotAnswerer::NoPassphrase(_) | NotAnswerer::NotGiven(_))) => Ok(Err(refused)),
            Err(refused) => Err(refused.into()),
        }
    }

    /// Records that these changes were refused, and returns the error.
    pub fn refuse(&self, why: NotAnswerer, about: impl IntoIterator<Item = Entry>) -> OperatorError {
        let log = OperatorLog::new(self.log.clone());
        let name = random_name();
        for entry in about {
            let entry = Entry {
                kind: Kind::Deny,
                call: Some(name.clone()),
                principal: Some(Principal::local().key()),
                ..refused(entry, &why)
            };
            // The change is refused even if the refusal can't be recorded.
            if let Err(error) = wait(log.write(entry, Durability::Durable)).and_then(|written| Ok(written?)) {
                tracing::error!("{error:?}");
            }
        }
        why.into()
    }

    /// Makes a change: checks the person, records the intent, applies the change, and records the
    /// outcome. The intent is on the disk before the change takes effect.
    pub fn act<C, A, E>(
        &self,
        check: &C,
        action: A,
        apply: impl FnOnce(Authorised<A>) -> Result<A::Effect, E>,
    ) -> Result<A::Effect, OperatorError>
    where
        C: PersonCheck<Refusal = NotAnswerer>,
        A: PersonAction,
        E: fmt::Display + Into<OperatorError>,
    {
        let log = OperatorLog::new(self.log.clone());
        let acted = act(check, &log, action, |authorised| std::future::ready(apply(authorised)));
        wait(acted)?.map_err(|not_done| match not_done {
            NotDone::Refused(why) => why.into(),
            NotDone::TooFar(most) => {
                user_error("this reaches too far").hinted(format!("from here, say at most: {most}"))
            }
            NotDone::NotRecorded(error) => error.into(),
            NotDone::Failed(error) => error.into(),
        })
    }
}

impl fmt::Debug for Operator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator")
            .field("state", &self.state)
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}

/// Waits for an operation of the log.
fn wait<T>(operation: impl Future<Output = T>) -> Result<T, OperatorError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| outside_error("failed to set up the runtime").caused_by(error))?;
    Ok(runtime.block_on(operation))
}
