//! The known tools with the decision about each. Remembered tools are decided about by the same
//! steps as in `overt policy explain`; for tools of our own server, the calls of the last week are
//! decided again (`own_tools.rs`).
use overt_documents::live::LiveTool;
use overt_gateway::pins::{Entry, PinStore, Record};
use overt_layers::decide::CallDecision;
use overt_layers::grants::QuestionKind;
use overt_operator::explain::{CallToExplain, DefinitionDigests};
use overt_policy::scope::ScopeSet;
use overt_policy::{Authority, ToolFacts, Verdict};
use overt_state::grants::SqliteStore;
use overt_wire::json::JsonBuf;
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::own_tools::OwnTool;
use super::replay::Deciders;
use super::verdict::verdict_json;
use super::week::Week;
use crate::output::{lasting, trust_words};
use crate::settings::{UiSettings, remembered_identity};

/// A tool whose definition the pins remember.
#[derive(Debug)]
struct RememberedTool {
    /// The full name of the server, as grants have it.
    server: String,
    project: Option<String>,
    name: String,
    live: LiveTool,
    digests: DefinitionDigests,
}

/// Which tools an answer contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolSelection {
    All,
    /// Only those with another verdict after the change.
    Changed,
}

/// Limits of one answer, because a server may list any number of tools.
const MOST_ROWS: usize = 2_000;
const MOST_TOOLS: usize = 5_000;

/// Returns the decisions before and after the change.
pub(super) fn compare(
    settings: &UiSettings,
    week: &Week,
    before: &Deciders,
    after: &Deciders,
    which: ToolSelection,
) -> Result<Value, Problem> {
    let tools = remembered(settings)?;
    let own = week.own_tools(settings, before, after);
    let all = tools.len() + own.len();
    let store = SqliteStore::open_if_there(settings.state.path())?;
    let mut rows = Rows::new(which);
    for tool in tools.iter().take(MOST_TOOLS) {
        let now = tool.decide(&before.servers, store.as_ref())?;
        let then = if before == after { None } else { Some(tool.decide(&after.servers, store.as_ref())?) };
        let then = then.filter(|then| then.decision.verdict != now.decision.verdict);
        let (name, _) = tool.server.split_once('#').unwrap_or((&tool.server, ""));
        let then = then.as_ref().map(verdict);
        rows.add(name, tool.project.as_deref(), &tool.name, &verdict(&now), then.as_ref());
    }
    for OwnTool { server, project, tool, now, then } in own {
        let json = |(verdict, by): &(Verdict, String)| verdict_json(*verdict, by);
        let then = then.as_ref().map(json);
        rows.add(&server, project.as_deref(), &tool, &json(&now), then.as_ref());
    }
    let Rows { rows, changed, .. } = rows;
    let left_out = match which {
        ToolSelection::All => all - rows.len(),
        ToolSelection::Changed => tools.len().saturating_sub(MOST_TOOLS) + changed - rows.len(),
    };
    Ok(json!({ "rows": rows, "all": all, "changed": changed, "leftOut": left_out }))
}

/// The rows of an answer, and how many tools have another verdict after the change.
#[derive(Debug)]
struct Rows {
    which: ToolSelection,
    rows: Vec<Value>,
    changed: usize,
}

impl Rows {
    fn new(which: ToolSelection) -> Self {
        Self { which, rows: Vec::new(), changed: 0 }
    }

    fn add(&mut self, server: &str, project: Option<&str>, tool: &str, now: &Value, then: Option<&Value>) {
        self.changed += usize::from(then.is_some());
        if self.rows.len() < MOST_ROWS && (self.which == ToolSelection::All || then.is_some()) {
            self.rows.push(json!({
                "server": server, "project": project, "tool": tool, "now": now, "then": then,
            }));
        }
    }
}

/// Returns the tools whose definition is kept.
fn remembered(settings: &UiSettings) -> Result<Vec<RememberedTool>, Problem> {
    let entries = PinStore::new(settings.state.path()).all().map_err(crate::error::CommandError::from)?;
    let records = entries.into_iter().filter_map(|Entry { record, .. }| record.ok());
    Ok(records.flat_map(|record| of_server(&record)).collect())
}

fn of_server(record: &Record) -> Vec<RememberedTool> {
    let server = remembered_identity(&record.identity);
    let texts: Vec<JsonBuf> = record
        .tools
        .values()
        .filter(|pin| pin.gone_at.is_none())
        .filter_map(|pin| pin.accepted.as_ref().or(pin.unaccepted.as_ref())?.text.clone())
        .collect();
    let mut digests = DefinitionDigests::by_name(&texts);
    let tools = texts.iter().filter_map(|text| LiveTool::read(text.as_json()));
    tools
        .map(|live| RememberedTool {
            server: server.clone(),
            project: record.identity.directory().map(str::to_owned),
            digests: digests.remove(&live.name).unwrap_or_default(),
            name: live.name.clone(),
            live,
        })
        .collect()
}

impl RememberedTool {
    fn decide(&self, authority: &Authority, store: Option<&SqliteStore>) -> Result<CallDecision, Problem> {
        let (name, _) = self.server.split_once('#').unwrap_or((&self.server, ""));
        let call = CallToExplain {
            server: &self.server,
            project: self.project.as_deref(),
            digests: &self.digests,
            facts: &ToolFacts::undeclared(name, &self.name, self.live.hints),
            arguments: &json!({}),
            authority,
            policies: &[],
            supposed: &ScopeSet::new(),
            // A remembered server has run, and at its start the store took over the file's
            // decision.
            file_trust: None,
        };
        Ok(call.decide(store)?)
    }
}

fn verdict(explained: &CallDecision) -> Value {
    verdict_json(explained.decision.verdict, &by(explained))
}

/// Says what the verdict is based on.
fn by(explained: &CallDecision) -> String {
    let decision = &explained.decision;
    let why = || decision.decisive().map(|said| said.why.clone()).unwrap_or_default();
    match decision.verdict {
        Verdict::Allow => match (&explained.grant, explained.trust) {
            (Some(grant), _) => {
                let lifetime = lasting(grant.terms.lifetime, grant.terms.expires);
                format!("you granted it: {}, {lifetime}", grant.id)
            }
            (None, Some(trust)) => format!("you decided about the server: it {}", trust_words(trust)),
            (None, None) => why(),
        },
        Verdict::NeedsApproval if explained.kind == QuestionKind::Trust => {
            "the first call asks how far you trust the server".to_owned()
        }
        Verdict::NeedsApproval => why(),
        Verdict::Deny => match &explained.refusal {
            Some(refusal) => format!("you refused it for good: {}", refusal.id),
            None => why(),
        },
    }
}
