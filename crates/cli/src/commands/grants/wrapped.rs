//! What a person decided about servers while they were wrapped, in the audit log before it holds.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::Answer;

use super::authorize::authorize_answerer;
use super::context::CommandContext;
use super::record::Records;
use crate::failure::Failure;
use crate::output::project_words;
use crate::settings::{ControlPlan, Env, OutputSettings, ServerTrust, StateDir};

/// Who may decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustAnswerer {
    /// Only a person: Overt would ask less.
    Person,
    /// A script too: Overt asks as much as before, or as it recommends.
    Anybody,
}

/// Records each decision. It is about every server of that name and command, so the record has no
/// id of a server.
pub(crate) fn record_trust(
    state: &StateDir,
    output: OutputSettings,
    audit: &ControlPlan,
    decisions: &[ServerTrust],
    answerer: TrustAnswerer,
    env: &Env,
) -> Result<(), Failure> {
    let context = CommandContext::new(state, output, Some(audit), env);
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
