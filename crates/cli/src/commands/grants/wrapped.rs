//! Audit records of what a person decided about servers while wrapping them. They are written
//! before the decisions take effect.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::Answer;

use super::authorize::authorize_answerer;
use super::context::DecisionContext;
use super::record::Records;
use crate::context::CommandContext;
use crate::error::CommandError;
use crate::output::project_words;
use crate::settings::{ControlPlan, ServerTrust, StateDir};

/// Says who may make a decision while wrapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustAnswerer {
    /// Only a person, because Overt would ask less.
    Person,
    /// A script too, because Overt asks as much as before, or as much as it recommends.
    Anybody,
}

/// Records each decision. It applies to every server with that name and command, so the record has
/// no server id.
pub(crate) fn record_trust(
    command: &CommandContext,
    state: &StateDir,
    audit: &ControlPlan,
    decisions: &[ServerTrust],
    answerer: TrustAnswerer,
) -> Result<(), CommandError> {
    let context = DecisionContext::new(command, state, Some(audit));
    let entry = |decision: &ServerTrust| {
        let project = decision.project.as_deref();
        let place =
            project.map_or_else(|| "in every project".to_owned(), |project| project_words(Some(project)));
        Entry {
            decision: Some("allow"),
            reason: Some(format!("{}, {place}", Answer::Trust(decision.trust))),
            ..Entry::of_server(Kind::Approval, &decision.name, project)
        }
    };
    if answerer == TrustAnswerer::Person {
        authorize_answerer(&context, decisions.iter().map(entry))?;
    }
    let records = Records::open(&context)?;
    decisions.iter().try_for_each(|decision| records.write(entry(decision)))
}
