//! What a person decided about servers while they were wrapped, in the audit log before it holds.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::Answer;

use super::context::CommandContext;
use super::record::Records;
use crate::failure::Failure;
use crate::output::project_words;
use crate::settings::{ControlPlan, Env, ServerTrust, StateDir, Talk};

/// Records each decision. It is about every server of that name and command, so the record has no id of a server.
pub(crate) fn record_trust(
    state: &StateDir,
    talk: Talk,
    audit: &ControlPlan,
    decisions: &[ServerTrust],
    env: &Env,
) -> Result<(), Failure> {
    let records = Records::open(&CommandContext::new(state, talk, Some(audit), env))?;
    for decision in decisions {
        let project = decision.project.as_deref();
        let place =
            project.map_or_else(|| "in every project".to_owned(), |project| project_words(Some(project)));
        records.write(Entry {
            decision: Some("allow"),
            reason: Some(format!("{}, {place}", Answer::Trust(decision.trust))),
            ..Entry::of_server(Kind::Approval, &decision.name, project)
        })?;
    }
    Ok(())
}
