//! Decisions about how far to trust a server.
use overt_layers::grants::{QuestionId, SeenTool};
use overt_layers::person::{ForgetTrust, PersonCheck, SetTrust, TrustScope};
use overt_policy::Trust;
use overt_state::grants::SqliteStore;

use super::coverage::local;
use crate::error::OperatorError;
use crate::not_answerer::NotAnswerer;
use crate::operator::Operator;

/// Decides about a server in a project. `covered` are the changed tools that were shown; a question
/// about another changed tool stays open. Returns the questions that the decision answered.
pub fn set_trust<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    store: &SqliteStore,
    decision: SetTrust,
) -> Result<Vec<QuestionId>, OperatorError> {
    operator.act(check, decision, |trust| store.set_trust(&trust))
}

/// Returns the decision about a server as a whole.
pub fn trust_in(server: &str, project: Option<&str>, trust: Trust, covered: &[SeenTool]) -> SetTrust {
    SetTrust { server: local(server, project), trust, seen: covered.to_vec(), scope: TrustScope::Server }
}

/// Withdraws the decision about a server, so that its next call asks again. Returns whether there
/// was one.
pub fn forget_trust(
    operator: &Operator<'_>,
    store: &SqliteStore,
    server: &str,
    project: Option<&str>,
) -> Result<bool, OperatorError> {
    let forget = ForgetTrust { server: server.to_owned(), project: project.map(str::to_owned) };
    operator.act(&operator.answerer(), forget, |forget| store.forget_trust(&forget))
}
