//! The one check before every answer: that a person gives it.
use overt_layers::audit::{Entry, Kind};

use super::context::DecisionContext;
use super::record::Records;
use crate::commands::answerer::{Answerer, NotAnswerer, PersonProof};
use crate::error::CommandError;

/// The layer that audit records name for refused answers.
const LAYER: &str = "answerer";

/// Proof that a person answers. No answer is accepted without it.
#[derive(Debug)]
pub(in crate::commands) struct Authorized(PersonProof);

impl Authorized {
    /// Checks that a person still answers: a client may have started above this process meanwhile.
    pub(in crate::commands) fn check_again(
        &self,
        context: &DecisionContext<'_>,
        about: &Entry,
    ) -> Result<(), CommandError> {
        match self.0 {
            PersonProof::Passphrase => Ok(()),
            PersonProof::Terminal => answerer(context)
                .check_terminal()
                .or_else(|refused| refuse(context, refused, [about.clone()])),
        }
    }
}

/// Returns proof that a person runs this command. A refused attempt is recorded once for each entry
/// in `about`.
pub(in crate::commands) fn authorize_answerer(
    context: &DecisionContext<'_>,
    about: impl IntoIterator<Item = Entry>,
) -> Result<Authorized, CommandError> {
    match answerer(context).authorize(context.printer()) {
        Ok(shown_by) => Ok(Authorized(shown_by)),
        Err(refused) => refuse(context, refused, about),
    }
}

/// Returns proof that a person runs this command, or the reason why there is no proof. A wrong
/// passphrase is an error. Nothing is recorded, because a process that can only look does not
/// attempt an answer.
pub(in crate::commands) fn authorize_or_look(
    context: &DecisionContext<'_>,
) -> Result<Result<Authorized, NotAnswerer>, CommandError> {
    match answerer(context).authorize(context.printer()) {
        Ok(shown_by) => Ok(Ok(Authorized(shown_by))),
        Err(refused @ (NotAnswerer::NoPassphrase(_) | NotAnswerer::NotGiven(_))) => Ok(Err(refused)),
        Err(refused) => refuse(context, refused, []),
    }
}

fn answerer<'a>(context: &'a DecisionContext<'_>) -> Answerer<'a> {
    Answerer { state: context.state.path(), env: &context.command.env, passphrase: context.passphrase }
}

fn refuse<T>(
    context: &DecisionContext<'_>,
    refused: NotAnswerer,
    about: impl IntoIterator<Item = Entry>,
) -> Result<T, CommandError> {
    // Open the log only now: while the person typed, other processes could write it.
    let records = Records::open(context)?;
    for entry in about {
        let written = records.write(Entry {
            kind: Kind::Deny,
            decision: Some("deny"),
            reason: Some(match &entry.reason {
                Some(answer) => format!("{answer}: {refused}"),
                None => refused.to_string(),
            }),
            layer: Some(LAYER.to_owned()),
            ..entry
        });
        // The answer is refused even if the refusal can't be recorded.
        if let Err(failure) = written {
            tracing::error!("{:?}", failure.error);
        }
    }
    Err(refused.into())
}
