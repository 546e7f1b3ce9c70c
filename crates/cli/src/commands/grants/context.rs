//! What the commands about grants and trust share besides: the store, the audit log, the person.
use std::fmt;

use overt_layers::grants::{PendingQuestion, StoreError};
use overt_state::grants::SqliteStore;
use overt_wire::json::JsonBuf;

use overt_layers::person::Channel;
use overt_operator::decisions::{DecisionError, no_question};
use overt_operator::{NotAnswerer, Operator, OperatorEnvironment, ServerIdentities};

use crate::args::{AnswerArgs, Format, PassphraseSource};
use crate::commands::passphrase::{passphrase_from_stdin, read_passphrase};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::Printer;
use crate::settings::{ConfiguredServers, ControlPlan, StateDir, current_project};

/// What every command about grants and trust needs.
pub(in crate::commands) struct DecisionContext<'a> {
    pub(in crate::commands) command: &'a CommandContext,
    pub(in crate::commands) state: &'a StateDir,
    /// How decisions are recorded; `None` for commands that decide nothing.
    pub(in crate::commands) audit: Option<&'a ControlPlan>,
    /// The project of the current folder.
    pub(in crate::commands) here: Option<String>,
    /// How the answerer proves to be a person.
    pub(in crate::commands) passphrase: PassphraseSource,
    pub(in crate::commands) channel: Channel,
}

impl<'a> DecisionContext<'a> {
    pub(in crate::commands) fn new(
        command: &'a CommandContext,
        state: &'a StateDir,
        audit: Option<&'a ControlPlan>,
    ) -> DecisionContext<'a> {
        let here = current_project();
        Self {
            command,
            state,
            audit,
            here,
            passphrase: PassphraseSource::Terminal,
            channel: Channel::Terminal,
        }
    }

    pub(in crate::commands) fn printer(&self) -> &'a Printer {
        &self.command.printer
    }

    pub(in crate::commands) fn format(&self) -> Format {
        self.command.output.format
    }

    pub(in crate::commands) fn with_passphrase(self, passphrase: PassphraseSource) -> Self {
        Self { passphrase, ..self }
    }

    /// For changes that a person makes on the page.
    pub(in crate::commands) fn on_page(self) -> Self {
        Self { channel: Channel::Page, ..self }
    }

    /// Returns the process in which the person makes changes.
    pub(in crate::commands) fn operator(&self) -> Operator<'_> {
        Operator {
            state: self.state.path(),
            environment: self,
            channel: self.channel,
            log: self.audit.and_then(ControlPlan::log_plan),
            here: self.here.clone(),
            clock: self.command.clock.clone(),
        }
    }

    /// Opens the store, or returns `None` if it was never created.
    pub(in crate::commands) fn store(&self) -> Result<Option<SqliteStore>, StoreError> {
        let store = SqliteStore::open_if_there(self.state.path())?;
        store.iter().try_for_each(|store| self.tell_ended(store))?;
        Ok(store)
    }

    /// Opens the store, and creates it if necessary.
    pub(in crate::commands) fn new_store(&self) -> Result<SqliteStore, StoreError> {
        let store = SqliteStore::open(self.state.path())?;
        self.tell_ended(&store)?;
        Ok(store)
    }

    fn tell_ended(&self, store: &SqliteStore) -> Result<(), StoreError> {
        if let Some(ended) = store.take_ended()? {
            self.printer().warn(&ended.to_string());
        }
        Ok(())
    }

    /// Returns the questions with these ids, in this order. All of them must be open.
    pub(in crate::commands) fn questions(
        &self,
        ids: &[String],
    ) -> Result<(SqliteStore, Vec<PendingQuestion>), CommandError> {
        let Some(store) = self.store()? else {
            let id = ids.first().cloned().unwrap_or_default();
            return Err(DecisionError::NothingOpen(id).into());
        };
        let open = store.questions()?;
        let mut found: Vec<PendingQuestion> = Vec::new();
        for id in ids {
            match open.iter().find(|one| one.id.0 == *id) {
                // An id that is given twice selects one question.
                Some(one) if found.contains(one) => {}
                Some(one) => found.push(one.clone()),
                None => return Err(no_question(id, &open).into()),
            }
        }
        Ok((store, found))
    }

    /// Reports what was done: as data for a program, as a note for a person.
    pub(in crate::commands) fn say(&self, data: &JsonBuf, note: &str) -> Result<Exit, CommandError> {
        match self.format() {
            Format::Json => self.printer().json(data.as_json())?,
            Format::Text => self.printer().note(note),
        }
        Ok(Exit::Ok)
    }
}

/// Runs a command that decides something, with the audit log that records its decisions.
pub(in crate::commands) fn with_audit<T>(
    command: &CommandContext,
    state: &StateDir,
    answer: &AnswerArgs,
    decide: impl FnOnce(&DecisionContext<'_>) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let plan = ControlPlan::of_grants(&command.env)?;
    let context = DecisionContext::new(command, state, Some(&plan));
    decide(&context.with_passphrase(answer.passphrase))
}

impl fmt::Debug for DecisionContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecisionContext").field("channel", &self.channel).finish_non_exhaustive()
    }
}

impl OperatorEnvironment for DecisionContext<'_> {
    fn reads_terminal(&self) -> bool {
        self.command.env.stdin_is_terminal
    }

    fn is_set(&self, variable: &str) -> bool {
        self.command.env.variable(variable).is_some_and(|value| !value.is_empty())
    }

    fn brings_passphrase(&self) -> bool {
        self.passphrase == PassphraseSource::Stdin
    }

    fn can_give_passphrase(&self) -> bool {
        self.brings_passphrase() || self.command.env.can_ask()
    }

    fn passphrase(&self, why: &str) -> Result<String, NotAnswerer> {
        match self.passphrase {
            PassphraseSource::Stdin => passphrase_from_stdin(),
            PassphraseSource::Terminal => {
                self.printer().note(&format!("{why}; your passphrase shows that you answer"));
                read_passphrase("Passphrase: ", self.printer())
            }
        }
    }

    fn configured_servers(&self) -> ServerIdentities {
        ConfiguredServers::new(&self.command.env, self.state).read()
    }
}
