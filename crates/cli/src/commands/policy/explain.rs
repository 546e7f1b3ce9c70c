//! `overt policy explain`: decides about a call as `overt run` would, and says why, without making
//! the call.
use overt_disclosure::{Disclosure, ServerCapabilities};
use overt_documents::live::LiveTool;
use overt_intent::{Template, sentence};
use overt_layers::decide::CallDecision;
use overt_operator::explain::{CallToExplain, DefinitionDigests};
use overt_policy::record::Hints;
use overt_policy::{ToolFacts, Verdict, explain as explain_json, explain_text};
use overt_state::grants::SqliteStore;
use overt_transport::client::{Client, ClientError};
use overt_wire::json::{Json, JsonBuf, Object};
use serde_json::{Value, json};

use super::super::file_trust::not_applied_to;
use super::super::manifest::{refusal, remark};
use super::super::missing_tool::{MissingTool, unless_held_back};
use super::super::session::with_server;
use super::super::tool;
use super::advice::advice;
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{Printer, extent_words, lasting, one_line, trust_words};
use crate::settings::ExplainSettings;
use crate::survey::{OwnText, survey};

const OWN_SERVER: &str = "`overt fs` decides by the folders that it serves and by the path of each call, which is not explained here";
const OWN_SERVER_HINT: &str = "edits inside its folders need no approval, deletes do; `overt call fs edit_file … --preview` shows a \
                               change without making it";

pub(super) fn explain(settings: &ExplainSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    with_server(&settings.connection, context, async |client, printer| {
        let tools = tool::list(client).await?;
        let hidden = hidden_tool(&settings.tool);
        let (tool, arguments) = match tool::named(&tools, &settings.tool) {
            Ok(_) if settings.is_own => return Err(user_error(OWN_SERVER).hinted(OWN_SERVER_HINT)),
            Ok(tool) => (tool, tool::arguments(tool, &settings.tool, &settings.input)?),
            // Our own servers don't list a tool that a rule forbids, and the rule is what the
            // person wants explained.
            Err(_) if is_forbidden(settings) => (&hidden, JsonBuf::empty_object()),
            Err(failure) => {
                return Err(unless_held_back(failure, &settings.tool, &settings.connection, &context.env));
            }
        };
        let facts = facts(client, settings, tool.as_json(), printer).await?;
        printer.progress_stop();
        let arguments = read(arguments.as_json())?;
        let store = SqliteStore::open_if_there(settings.state.path())?;
        let digests = DefinitionDigests::by_name(&tools).remove(&settings.tool).unwrap_or_default();
        let file_trust = match &settings.file_trust {
            Some(decision) => not_applied_to(&settings.tool, digests.tool(), decision, store.as_ref())?,
            None => None,
        };
        let call = CallToExplain {
            server: &settings.connection.identity(),
            project: settings.project.as_deref(),
            digests: &digests,
            facts: &facts,
            arguments: &arguments,
            authority: &settings.authority,
            policies: &settings.policies,
            supposed: &settings.grants,
            file_trust,
        };
        let intent = sentence(facts.intent.as_deref().map(Template::parse).as_ref(), &facts.tool, &arguments);
        let explained = call.decide(store.as_ref())?;
        let advice = advice(&explained, &call, store.as_ref())?;
        let decision = &explained.decision;
        match context.output.format {
            Format::Text => printer.text(&text(&facts, &intent, &explained, &advice))?,
            Format::Json => {
                let value = to_json(&facts, &intent, &explained, &advice).to_string();
                let buffer = JsonBuf::parse(&value)
                    .map_err(|fault| ClientError::Protocol { what: fault.to_string() })?;
                printer.json(buffer.as_json())?;
            }
        }
        Ok(if decision.verdict == Verdict::Allow { Exit::Ok } else { Exit::Findings })
    })
}

fn is_forbidden(settings: &ExplainSettings) -> bool {
    let servers = [settings.connection.name.as_str()];
    MissingTool::forbidden(&settings.tool, &servers, &settings.authority).is_some()
}

/// Returns a definition with only the name, for a tool that is not listed.
fn hidden_tool(name: &str) -> JsonBuf {
    Object::new().string("name", name).finish()
}

/// Returns the facts about the tool: the declaration of a manifest that fits the server, if one was
/// given, and the server's hints.
async fn facts(
    client: &Client,
    settings: &ExplainSettings,
    tool: Json<'_>,
    printer: &Printer,
) -> Result<ToolFacts, CommandError> {
    let hints = LiveTool::read(tool).map_or_else(Hints::default, |live| live.hints);
    let server = &settings.connection.name;
    let Some(file) = &settings.manifest else {
        return Ok(ToolFacts::undeclared(server, &settings.tool, hints));
    };
    let offers = ServerCapabilities::read(client.server().capabilities.as_json());
    let live = survey(client, OwnText::Exact, printer).await?.live;
    let (disclosure, findings) = Disclosure::new(file.manifest.declaration.clone(), live, offers)
        .map_err(|findings| refusal(file, &findings))?;
    remark(file, &findings, printer);
    ToolFacts::of(server, &settings.tool, disclosure.record(&settings.tool), hints)
        .map_err(|findings| refusal(file, &findings))
}

fn read(arguments: Json<'_>) -> Result<Value, CommandError> {
    arguments.read().map_err(|error| ClientError::Protocol { what: error.to_string() }.into())
}

fn text(facts: &ToolFacts, intent: &str, explained: &CallDecision, advice: &[String]) -> String {
    let known = if facts.is_declared() { "declared" } else { "not declared, so counts as" };
    let decision = &explained.decision;
    let mut text =
        format!("{}\neffect: {known} {}\n{}", one_line(intent), facts.effect, explain_text(decision));
    if let Some(grant) = &explained.grant {
        let (lifetime, place) = (
            lasting(grant.terms.lifetime, grant.terms.expires),
            extent_words(grant.terms.project.as_deref()),
        );
        text.push_str(&format!("grant: {} {place}, {lifetime}\n", grant.id));
    }
    if let Some(trust) = explained.trust {
        text.push_str(&format!("trust: the server {}\n", trust_words(trust)));
    }
    for line in advice {
        text.push_str(&format!("{}\n", one_line(line)));
    }
    text
}

fn to_json(facts: &ToolFacts, intent: &str, explained: &CallDecision, advice: &[String]) -> Value {
    let mut object = json!({
        "server": &*facts.server,
        "tool": &*facts.tool,
        "effect": facts.effect,
        "declared": facts.is_declared(),
        "basis": facts.basis,
        "intent": intent,
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, explain_json(&explained.decision)) {
        object.extend(more);
    }
    if let Some(grant) = &explained.grant {
        object["grant"] = json!(grant.id.0);
    }
    if let Some(trust) = explained.trust {
        object["trust"] = json!(trust.to_string());
    }
    if !advice.is_empty() {
        object["would_change"] = json!(advice);
    }
    object
}
