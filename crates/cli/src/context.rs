//! What every command is given: the environment, how it prints, and the clock. `run.rs` makes it
//! once.
use std::sync::Arc;

use overt_layers::grants::Clock;

use crate::args::Format;
use crate::error::CommandError;
use crate::output::{Printer, Report};
use crate::settings::{Env, OutputSettings, StateDir, StateError};

/// What every command needs, and none resolves for itself.
#[derive(Debug, Clone)]
pub(crate) struct CommandContext {
    pub(crate) env: Env,
    pub(crate) output: OutputSettings,
    pub(crate) printer: Arc<Printer>,
    pub(crate) clock: Clock,
}

impl CommandContext {
    pub(crate) fn new(env: Env, output: OutputSettings) -> Self {
        let printer = Arc::new(Printer::new(output.verbosity, &env));
        Self { env, output, printer, clock: Clock::default() }
    }

    /// Prints the answer: its data for a program, its text for a person.
    pub(crate) fn report(&self, report: &impl Report) -> Result<(), CommandError> {
        match self.output.format {
            Format::Json => self.printer.data(report)?,
            Format::Text => {
                self.printer.text(&report.text(self.printer.width()))?;
                report.remark().iter().for_each(|remark| self.printer.note(remark));
            }
        }
        Ok(())
    }

    /// Returns the folder that has what Overt keeps.
    pub(crate) fn state(&self) -> Result<StateDir, StateError> {
        StateDir::resolve(&self.env)
    }

    /// Returns the same context, in which no person can be asked.
    pub(crate) fn without_a_person(&self) -> Self {
        Self { env: self.env.without_a_person(), ..self.clone() }
    }
}
