//! Decisions about tools that changed. Such a decision is settled twice: the pin accepts the new
//! definition, and the trust in the server covers it. Whatever command a person types, both are
//! settled here, and only for definitions that the person was shown.
use overt_gateway::pins::{DecidePins, Decision, Definition, Digest, Identity, Pin, PinStore, Record, State};
use overt_layers::grants::{
    HolderClient, PendingQuestion, Question, QuestionKind, SeenTool, TrustedServer, TrustedServerKey,
};
use overt_layers::person::{PersonCheck, SetTrust, TrustScope};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;

use crate::error::OperatorError;
use crate::not_answerer::NotAnswerer;
use crate::operator::Operator;
use crate::server_name::remembered_identity;

/// The differences, in one project, between what a server shows and what a person accepted.
#[derive(Debug, Default)]
pub struct PendingChanges {
    /// Records of the server, reduced to the tools that wait for a decision.
    pub records: Vec<Record>,
    /// Tools whose definitions the pins accept and the trust does not cover: the server was
    /// forgotten, or an older Overt accepted them, which settled only the pin.
    pub accepted: Vec<(String, Definition)>,
    /// The other tools that the server listed last, as the pins have them.
    pub known: Vec<(String, Definition)>,
    /// Questions about changes that no record has, because the server's tools are not remembered.
    pub questions: Vec<PendingQuestion>,
}

impl PendingChanges {
    pub fn find(
        operator: &Operator<'_>,
        store: &SqliteStore,
        server: &str,
        project: Option<&str>,
    ) -> Result<Self, OperatorError> {
        let mut records = remembered(operator, server, project)?;
        let covered = store.covered(&local(server, project), &HolderClient::Any)?.unwrap_or_default();
        let is_apart = |name: &str, definition: &Definition| {
            let trusted = definition.trusted_digest();
            covered.get(name).is_some_and(|covered| trusted.is_some_and(|digest| *digest != **covered))
        };
        let tools = records.iter().flat_map(|record| &record.tools);
        let accepted = tools.filter(|(_, pin)| pin.state() == State::Accepted);
        let accepted = accepted.filter_map(|(name, pin)| Some((name.clone(), pin.accepted.clone()?)));
        let (accepted, known) = accepted.partition(|(name, definition)| is_apart(name, definition));
        for record in &mut records {
            record.tools.retain(|_, pin| !matches!(pin.state(), State::Accepted | State::Removed));
        }
        records.retain(|record| !record.tools.is_empty());
        let mut found = Self { records, accepted, known, questions: Vec::new() };
        let seen = found.tools();
        let is_apart = |open: &PendingQuestion| {
            let question = &open.question;
            asks_about_change(question, server, project)
                && !seen.iter().any(|tool| tool.is_asked_by(question))
        };
        found.questions = store.questions()?.into_iter().filter(is_apart).collect();
        Ok(found)
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.accepted.is_empty() && self.questions.is_empty()
    }

    /// Returns the tools that can be accepted as they were seen. A tool that occurs twice in a list
    /// is left out, because it is unclear which definition is meant.
    pub fn tools(&self) -> Vec<SeenTool> {
        let waiting = self.records.iter().flat_map(Record::waiting);
        let seen = waiting.filter(|(_, pin)| pin.state() != State::Conflicting);
        let seen = seen.filter_map(|(name, pin)| Some(seen_tool(name, pin.unaccepted.as_ref()?)));
        let asked = self.questions.iter().map(|open| SeenTool {
            name: open.question.tool.clone(),
            digest: Some(open.question.tool_digest.clone()),
        });
        let accepted = self.accepted.iter().map(|(name, definition)| seen_tool(name, definition));
        seen.chain(accepted).chain(asked).collect()
    }

    /// Returns the tools that did not change, as they are.
    pub fn known_tools(&self) -> Vec<SeenTool> {
        self.known.iter().map(|(name, definition)| seen_tool(name, definition)).collect()
    }

    /// Makes the pins accept what was shown.
    pub fn accept<C: PersonCheck<Refusal = NotAnswerer>>(
        &self,
        operator: &Operator<'_>,
        check: &C,
    ) -> Result<(), OperatorError> {
        self.records.iter().try_for_each(|record| {
            let seen = |(name, pin): (&str, &Pin)| Some((name.to_owned(), pin.unaccepted.as_ref()?.digest));
            let shown: Vec<(String, Digest)> = record.waiting().filter_map(seen).collect();
            accept_pins(operator, check, &record.identity, &shown)
        })
    }
}

/// Returns a tool as the person saw it.
pub fn seen_tool(name: &str, definition: &Definition) -> SeenTool {
    SeenTool { name: name.to_owned(), digest: definition.trusted_digest().map(|digest| digest.to_string()) }
}

/// Returns the server as the user of this machine uses it.
pub fn local(server: &str, project: Option<&str>) -> TrustedServerKey {
    TrustedServerKey {
        principal: Principal::local(),
        server: server.to_owned(),
        project: project.map(str::to_owned),
    }
}

/// Says whether a question asks about a tool that changed since its server was trusted.
fn asks_about_change(question: &Question, server: &str, project: Option<&str>) -> bool {
    question.kind == QuestionKind::Trust
        && question.is_redefined()
        && question.server == server
        && question.project.as_deref() == project
}

/// Returns the pin records of a server that is used in this project.
fn remembered(
    operator: &Operator<'_>,
    server: &str,
    project: Option<&str>,
) -> Result<Vec<Record>, OperatorError> {
    let all = PinStore::new(operator.state).all()?;
    // `overt pins` and `overt run` report records that can't be read.
    let records = all.into_iter().filter_map(|entry| entry.record.ok());
    let is_it =
        |record: &Record| remembered_identity(&record.identity) == server && is_in(&record.identity, project);
    Ok(records.filter(is_it).collect())
}

/// Says whether the recorded server is the one that is used in this project. A server at an
/// address, and a command with its own folder, are the same in every project.
fn is_in(identity: &Identity, project: Option<&str>) -> bool {
    let has_own_folder = identity.json().get("cwd").value().is_some();
    identity.directory().is_none() || has_own_folder || identity.directory() == project
}

fn accept_pins<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    identity: &Identity,
    tools: &[(String, Digest)],
) -> Result<(), OperatorError> {
    let accepting = DecidePins {
        identity: identity.clone(),
        server: remembered_identity(identity),
        decision: Decision::Accept,
        tools: tools.iter().map(|(tool, _)| tool.clone()).collect(),
    };
    let now = operator.clock.now();
    operator.act(check, accepting, |accepting| {
        PinStore::new(operator.state).decide(&accepting, |record| {
            let Some(mut record) = record else { return (None, ()) };
            // A definition that changed in the meantime is not accepted, because it was not shown.
            let accepted =
                tools.iter().filter(|(tool, shown)| record.accept_shown(tool, *shown, now)).count();
            ((accepted > 0).then_some(record), ())
        })
    })
}

/// Accepts the pin of a changed tool, after a person answered the question about it.
pub(super) fn accept_asked<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    question: &Question,
) -> Result<(), OperatorError> {
    for record in remembered(operator, &question.server, question.project.as_deref())? {
        let seen = record.tools.get(&question.tool).and_then(|pin| pin.unaccepted.as_ref());
        let is_shown = |seen: &&Definition| seen.trusted_digest().as_deref() == Some(&*question.tool_digest);
        if let Some(seen) = seen.filter(is_shown) {
            accept_pins(operator, check, &record.identity, &[(question.tool.clone(), seen.digest)])?;
        }
    }
    Ok(())
}

/// Makes the trust in a server cover these tools as a person accepted them, in every project where
/// the person decided about the server, and answers the questions about them. Returns the decisions
/// that now cover them.
pub fn cover_accepted<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    identity: &Identity,
    tools: &[SeenTool],
) -> Result<Vec<TrustedServer>, OperatorError> {
    let Some(store) = operator.store()? else { return Ok(Vec::new()) };
    let server = remembered_identity(identity);
    let mut decisions = store.trusted()?;
    decisions.retain(|one| one.server == server && is_in(identity, one.project.as_deref()));
    if tools.iter().all(|tool| tool.digest.is_none()) {
        return Ok(decisions);
    }
    for TrustedServer { principal, project, trust, .. } in &decisions {
        let server = TrustedServerKey { principal: principal.clone(), ..local(&server, project.as_deref()) };
        let covering = SetTrust { server, trust: *trust, seen: tools.to_vec(), scope: TrustScope::SeenTools };
        operator.act(check, covering, |trust| store.set_trust(&trust))?;
    }
    Ok(decisions)
}
