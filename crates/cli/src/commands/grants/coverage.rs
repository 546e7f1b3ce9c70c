//! Decisions about tools that changed. Such a decision is settled twice: the pin accepts the new
//! definition, and the trust in the server covers it. Whatever command a person types, both are
//! settled here, and only for definitions that the person was shown.
use std::time::{SystemTime, UNIX_EPOCH};

use overt_gateway::pins::{Definition, Digest, Identity, Pin, PinStore, Record, State};
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{
    Answer, AnswerOutcome, PendingQuestion, Question, QuestionKind, TrustedServer, TrustedServerKey,
    TrustedTool,
};
use overt_policy::Trust;
use overt_state::grants::SqliteStore;
use overt_wire::Principal;

use super::context::DecisionContext;
use super::record::Records;
use crate::error::CommandError;
use crate::output::project_words;
use crate::settings::remembered_identity;

/// A tool with the digest of the definition that a person saw, as trust records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) struct SeenTool {
    pub(in crate::commands) name: String,
    /// `None` if the definition is too long to be kept, so that trust can't refer to it.
    pub(in crate::commands) digest: Option<String>,
}

impl SeenTool {
    pub(in crate::commands) fn new(name: &str, definition: &Definition) -> Self {
        Self { name: name.to_owned(), digest: definition.trusted_digest().map(|digest| digest.to_string()) }
    }

    /// Says whether a question asks about exactly this definition.
    pub(super) fn is_asked_by(&self, question: &Question) -> bool {
        question.tool == self.name && self.digest.as_ref() == Some(&question.tool_digest)
    }
}

/// The differences, in one project, between what a server shows and what a person accepted.
#[derive(Debug, Default)]
pub(super) struct PendingChanges {
    /// Records of the server, reduced to the tools that wait for a decision.
    pub(super) records: Vec<Record>,
    /// Tools whose definitions the pins accept and the trust does not cover: the server was
    /// forgotten, or an older Overt accepted them, which settled only the pin.
    pub(super) accepted: Vec<(String, Definition)>,
    /// Questions about changes that no record has, because the server's tools are not remembered.
    pub(super) questions: Vec<PendingQuestion>,
}

impl PendingChanges {
    pub(super) fn find(
        context: &DecisionContext<'_>,
        store: &SqliteStore,
        server: &str,
        project: Option<&str>,
    ) -> Result<Self, CommandError> {
        let mut records = remembered(context, server, project)?;
        let covered = store.covered(&local(server, project))?.unwrap_or_default();
        let is_apart = |name: &str, definition: &Definition| {
            let trusted = definition.trusted_digest();
            covered.get(name).is_some_and(|covered| trusted.is_some_and(|digest| *digest != **covered))
        };
        let tools = records.iter().flat_map(|record| &record.tools);
        let accepted = tools.filter(|(_, pin)| pin.state() == State::Accepted);
        let accepted = accepted.filter_map(|(name, pin)| Some((name.clone(), pin.accepted.clone()?)));
        let accepted = accepted.filter(|(name, definition)| is_apart(name, definition)).collect();
        for record in &mut records {
            record.tools.retain(|_, pin| !matches!(pin.state(), State::Accepted | State::Removed));
        }
        records.retain(|record| !record.tools.is_empty());
        let mut found = Self { records, accepted, questions: Vec::new() };
        let seen = found.tools();
        let is_apart = |open: &PendingQuestion| {
            let question = &open.question;
            asks_about_change(question, server, project)
                && !seen.iter().any(|tool| tool.is_asked_by(question))
        };
        found.questions = store.questions()?.into_iter().filter(is_apart).collect();
        Ok(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.accepted.is_empty() && self.questions.is_empty()
    }

    /// Returns the tools that can be accepted as they were seen. A tool that occurs twice in a list
    /// is left out, because it is unclear which definition is meant.
    pub(super) fn tools(&self) -> Vec<SeenTool> {
        let waiting = self.records.iter().flat_map(Record::waiting);
        let seen = waiting.filter(|(_, pin)| pin.state() != State::Conflicting);
        let seen = seen.filter_map(|(name, pin)| Some(SeenTool::new(name, pin.unaccepted.as_ref()?)));
        let asked = self.questions.iter().map(|open| SeenTool {
            name: open.question.tool.clone(),
            digest: Some(open.question.tool_digest.clone()),
        });
        let accepted = self.accepted.iter().map(|(name, definition)| SeenTool::new(name, definition));
        seen.chain(accepted).chain(asked).collect()
    }

    /// Makes the pins accept what was shown.
    pub(super) fn accept(&self, context: &DecisionContext<'_>) -> Result<(), CommandError> {
        self.records.iter().try_for_each(|record| {
            let seen = |(name, pin): (&str, &Pin)| Some((name.to_owned(), pin.unaccepted.as_ref()?.digest));
            let shown: Vec<(String, Digest)> = record.waiting().filter_map(seen).collect();
            accept_pins(context, &record.identity, &shown)
        })
    }
}

/// Returns the server as the user of this machine uses it.
pub(in crate::commands) fn local(server: &str, project: Option<&str>) -> TrustedServerKey {
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
    context: &DecisionContext<'_>,
    server: &str,
    project: Option<&str>,
) -> Result<Vec<Record>, CommandError> {
    let all = PinStore::new(context.state.path()).all()?;
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

fn accept_pins(
    context: &DecisionContext<'_>,
    identity: &Identity,
    tools: &[(String, Digest)],
) -> Result<(), CommandError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    PinStore::new(context.state.path()).update(identity, |record| {
        let Some(mut record) = record else { return (None, ()) };
        // A definition that changed in the meantime is not accepted, because it was not shown.
        let accepted = tools.iter().filter(|(tool, shown)| record.accept_shown(tool, *shown, now)).count();
        ((accepted > 0).then_some(record), ())
    })?;
    Ok(())
}

/// Accepts the pin of a changed tool, after a person answered the question about it.
pub(super) fn accept_asked(context: &DecisionContext<'_>, question: &Question) -> Result<(), CommandError> {
    for record in remembered(context, &question.server, question.project.as_deref())? {
        let seen = record.tools.get(&question.tool).and_then(|pin| pin.unaccepted.as_ref());
        let is_shown = |seen: &&Definition| seen.trusted_digest().as_deref() == Some(&*question.tool_digest);
        if let Some(seen) = seen.filter(is_shown) {
            accept_pins(context, &record.identity, &[(question.tool.clone(), seen.digest)])?;
        }
    }
    Ok(())
}

/// Makes the trust in a server cover these tools as a person accepted them, in every project where
/// the person decided about the server, and answers the questions about them. Returns the decisions
/// that now cover them.
pub(in crate::commands) fn cover_accepted(
    context: &DecisionContext<'_>,
    identity: &Identity,
    tools: &[SeenTool],
) -> Result<Vec<TrustedServer>, CommandError> {
    let Some(store) = context.store()? else { return Ok(Vec::new()) };
    let server = remembered_identity(identity);
    let mut decisions = store.trusted()?;
    decisions.retain(|one| one.server == server && is_in(identity, one.project.as_deref()));
    if decisions.is_empty() {
        return Ok(decisions);
    }
    let records = Records::open(context)?;
    for TrustedServer { principal, project, trust, .. } in &decisions {
        let key = TrustedServerKey { principal: principal.clone(), ..local(&server, project.as_deref()) };
        cover(&records, &store, &key, *trust, tools)?;
        let open = store.questions()?;
        let asked = open.iter().filter(|open| {
            asks_about_change(&open.question, &server, project.as_deref())
                && tools.iter().any(|tool| tool.is_asked_by(&open.question))
        });
        for PendingQuestion { id, .. } in asked {
            // A question that was closed or answered in the meantime needs nothing more.
            let _: AnswerOutcome = store.decide(id, Answer::Trust(*trust))?;
        }
    }
    Ok(decisions)
}

/// Makes the decision about a server cover these tools as they were shown. The audit record is on
/// disk before this takes effect.
pub(super) fn cover(
    records: &Records,
    store: &SqliteStore,
    key: &TrustedServerKey,
    trust: Trust,
    tools: &[SeenTool],
) -> Result<(), CommandError> {
    let (server, project) = (key.server.as_str(), key.project.as_deref());
    for SeenTool { name, digest } in tools {
        let Some(digest) = digest else { continue };
        let entry = Entry {
            decision: Some("allow"),
            target: Some(name.clone()),
            reason: Some(format!(
                "{} covers its new definition, {}",
                Answer::Trust(trust),
                project_words(project)
            )),
            ..Entry::of_server(Kind::Approval, server, project)
        };
        records.write(entry.clone())?;
        let tool = TrustedTool { server: key.clone(), tool: name.clone(), digest: digest.clone() };
        store
            .set_trust(&tool, trust)
            .inspect_err(|error| records.record_without_effect(entry, &error.to_string()))?;
    }
    Ok(())
}
