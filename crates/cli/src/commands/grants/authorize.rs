//! The one check before every answer: a person gives it.
use overt_layers::audit::{Entry, Kind};

use super::context::CommandContext;
use super::record::Records;
use crate::commands::answerer::Answerer;
use crate::failure::Failure;

/// The layer that refuses in the audit log.
const LAYER: &str = "answerer";

/// Returns if whoever runs this command may answer. An attempt that is refused is recorded for each thing that it was `about`.
pub(in crate::commands) fn authorize_answerer(
    context: &CommandContext<'_>,
    about: impl IntoIterator<Item = Entry>,
) -> Result<(), Failure> {
    let answerer = Answerer { state: context.state.path(), env: context.env, passphrase: context.passphrase };
    let Err(refused) = answerer.authorize(&context.printer) else { return Ok(()) };
    // Opened now: while a person types, others may write the log.
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
        // It is refused also where that can't be recorded.
        if let Err(failure) = written {
            tracing::error!("{:?}", failure.error);
        }
    }
    Err(refused.into())
}
