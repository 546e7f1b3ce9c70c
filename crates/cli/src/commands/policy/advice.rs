//! Advice on which question, grant or rule would change the decision.
use overt_layers::decide::CallDecision;
use overt_layers::grants::{QuestionKind, StoreError};
use overt_operator::explain::CallToExplain;
use overt_operator::policy_edit::removal_of_forbidden;
use overt_policy::{Trust, Verdict};
use overt_state::grants::SqliteStore;

/// Returns one sentence for each. Empty if the explanation of the decision already says everything.
pub(super) fn advice(
    explained: &CallDecision,
    call: &CallToExplain<'_>,
    store: Option<&SqliteStore>,
) -> Result<Vec<String>, StoreError> {
    let server = call.server;
    let mut advice = Vec::new();
    match explained.decision.verdict {
        Verdict::Allow => {
            if let Some(grant) = &explained.grant {
                advice.push(format!(
                    "it would ask you again without the grant: `overt grants revoke {}`",
                    grant.id
                ));
            }
            if explained.trust.is_some() {
                advice.push(format!("it would ask you with less trust: `overt trust {server} everything`"));
            }
        }
        Verdict::NeedsApproval => {
            advice.push(match (explained.kind, explained.trust) {
                (QuestionKind::Trust, _) => "the call would ask you how far you trust the server, once; with `changes` it would run".to_owned(),
                (QuestionKind::Call, Some(Trust::Everything)) => {
                    format!("you trust this server with nothing: `overt trust {server} changes` lets what only reads run")
                }
                (QuestionKind::Call, _) => {
                    "the call would ask you; your answer can hold for one call, for the session, or always in this project".to_owned()
                }
            });
            let questions = store.map(|store| call.open_questions(store)).transpose()?;
            for open in questions.unwrap_or_default() {
                advice.push(format!("a question about it is open: `overt grants show {}`", open.id));
            }
        }
        Verdict::Deny => {
            let rule = explained.decision.decisive().and_then(|said| said.rule.as_deref());
            if let Some(refusal) = &explained.refusal {
                advice.push(format!(
                    "you refused it for good; `overt grants revoke {}` takes that back",
                    refusal.id
                ));
            } else if let Some(removal) = rule.and_then(removal_of_forbidden) {
                advice.push(format!("you forbade it yourself; `{removal}` takes that back"));
            } else {
                advice.push("no answer and no grant passes a deny".to_owned());
            }
        }
    }
    Ok(advice)
}
