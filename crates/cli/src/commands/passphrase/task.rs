//! `overt passphrase`.
use overt_operator::Answerer;
use overt_state::passphrase::{Cost, Passphrase, PassphraseError};
use serde::Serialize;

use super::read::read_passphrase;
use crate::args::{Format, PassphraseArgs, PassphraseCommand, PassphraseSource};
use crate::commands::grants::DecisionContext;
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit, user_error};
use crate::output::Printer;

impl Diagnostic for PassphraseError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::TooShort => Some("several words are easy to remember and hard to guess".to_owned()),
            _ => None,
        }
    }
}

/// The answer of `overt passphrase`: whether one is set, or whether one was removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum PassphraseReport {
    Set(bool),
    Removed(bool),
}

pub(crate) fn passphrase(args: &PassphraseArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let CommandContext { env, output, printer, .. } = context;
    let state = context.state()?;
    let source = match &args.command {
        PassphraseCommand::Set(_) | PassphraseCommand::Show(_) => PassphraseSource::Terminal,
        PassphraseCommand::Remove(args) => args.answer.passphrase,
    };
    let passphrase = Passphrase::of(state.path());
    let said = |report: PassphraseReport, note: &str| match output.format {
        Format::Json => printer.data(&report),
        Format::Text => {
            printer.note(note);
            Ok(())
        }
    };
    let decision = DecisionContext::new(context, &state, None).with_passphrase(source);
    let answerer = decision.operator().answerer();
    match args.command {
        PassphraseCommand::Show(_) => {
            let is_set = passphrase.is_set()?;
            let words = if is_set { "a passphrase is set" } else { "no passphrase is set" };
            said(PassphraseReport::Set(is_set), words)?;
        }
        PassphraseCommand::Set(_) => {
            if !env.can_ask() {
                return Err(user_error("a passphrase is set at a terminal only"));
            }
            // A process that can replace the passphrase can answer every question.
            let had_one = prove(answerer, &passphrase)?;
            passphrase.set(&ask_twice(printer)?, Cost::default())?;
            let words = if had_one { "the passphrase is changed" } else { "the passphrase is set" };
            said(PassphraseReport::Set(true), words)?;
        }
        PassphraseCommand::Remove(_) => {
            prove(answerer, &passphrase)?;
            let was_set = passphrase.remove()?;
            let words = if was_set { "the passphrase is removed" } else { "no passphrase was set" };
            said(PassphraseReport::Removed(was_set), words)?;
        }
    }
    Ok(Exit::Ok)
}

/// Checks that a person runs this command. If a passphrase is set, it must be given, even on the
/// person's own terminal. Returns whether one is set.
fn prove(answerer: Answerer<'_>, passphrase: &Passphrase) -> Result<bool, CommandError> {
    let is_set = passphrase.is_set()?;
    if is_set {
        answerer.check_passphrase(passphrase, "the passphrase is to change")?;
    } else {
        answerer.prove()?;
    }
    Ok(is_set)
}

fn ask_twice(printer: &Printer) -> Result<String, CommandError> {
    let first = read_passphrase("New passphrase: ", printer)?;
    let second = read_passphrase("The same again: ", printer)?;
    if first == second { Ok(first) } else { Err(user_error("the two passphrases are not the same")) }
}
