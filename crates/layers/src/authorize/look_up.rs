//! The first steps of an attempt: find the tool and its policy, read the arguments, and answer
//! every error in the call.
use std::sync::Arc;

use overt_wire::json::Member;
use overt_wire::{ErrorObject, Message, Method};
use serde_json::Value;

use super::answers::unlistable;
use super::attempt_outcome::Step;
use super::layer::Authorize;
use super::records::CallRecord;
use super::resolved_call::ResolvedCall;
use super::tool_call::ToolCall;
use super::tools::Lookup;
use crate::Endpoint;
use crate::audit::CallArguments;
use crate::endpoint::unknown_tool;
use crate::known_tool::KnownTool;
use crate::preview::Preview;
use crate::veto;

impl Authorize {
    pub(super) async fn look_up<'a>(
        &self,
        call: &'a ToolCall,
        record: &mut CallRecord,
    ) -> Step<ResolvedCall<'a>> {
        let (exchange, tool) = (&call.exchange, call.tool.as_str());
        let known = match self.find_tool(exchange, tool).await {
            Lookup::Found(known) => known,
            Lookup::Unknown => return Err(self.refuse_error(call, record, &unknown_tool(tool))),
            Lookup::NoTools => {
                let error = ErrorObject::method_not_found(Method::ToolsCall.name());
                return Err(self.refuse_error(call, record, &error));
            }
            Lookup::Unlistable(cause) => {
                // A call with `requestState` was already under way before.
                let is_new = exchange.message.param("requestState").is_absent();
                let error = unlistable(&self.endpoint.description().name, &cause, is_new);
                return Err(self.refuse_error(call, record, &error));
            }
        };
        record.set(|entry| {
            entry.tool_digest = Some(known.digest().to_string()).filter(|digest| !digest.is_empty());
        });
        if let Err(refusal) = veto::check(&self.control.vetoes, &exchange.message) {
            return Err(self.refuse_error(call, record, &ErrorObject::invalid_params(refusal.reason)));
        }
        let effective = self.effective(exchange).map_err(|error| self.refuse_error(call, record, &error))?;
        let tools = &self.endpoint.description().tools;
        let arguments = match arguments_of(&exchange.message) {
            Some(arguments) if arguments.is_object() => arguments,
            // Many clients send null for no arguments, and a third-party server may accept it.
            Some(Value::Null) if tools.check_arguments(tool, Some(&Value::Null)).is_none() => {
                Value::Object(serde_json::Map::new())
            }
            unreadable => {
                // An endpoint that checks its own arguments explains the error in its own words.
                if let Some(Err(failure)) = tools.check_arguments(tool, unreadable.as_ref()) {
                    return Err(self.fail(call, record, &failure));
                }
                let what = "`arguments` must be an object, and every number in it must be representable";
                return Err(self.refuse_error(call, record, &ErrorObject::invalid_params(what)));
            }
        };
        if let Some(headers) = &exchange.param_headers
            && let Err(error) = known.header_annotations().check(headers, exchange.message.arguments())
        {
            return Err(self.refuse_error(call, record, &error));
        }
        if let Some(Err(failure)) = tools.check_arguments(tool, Some(&arguments)) {
            return Err(self.fail(call, record, &failure));
        }
        let located = tools.scope_arguments(tool, &arguments, effective.values.as_ref());
        let facts = match &located {
            Some(arguments) => known.facts.located(arguments),
            None => known.facts.clone(),
        };
        let facts = match &call.server_scopes[..] {
            [] => facts,
            more => facts.needing_also(more.iter().cloned()),
        };
        let is_preview = effective.options.preview == Preview::Yes;
        let planning = (is_preview && tools.has_plan(tool)).then(|| facts.planning());
        let sentence = sentence(&known, tool, &arguments, planning.is_some());
        let server_says = server_says(&known, &arguments, &sentence);
        let resolved = ResolvedCall {
            server_says,
            call,
            tool: known,
            arguments: Arc::new(arguments),
            facts,
            planning,
            checks_scopes: located.is_some(),
            places: located.filter(|located| tools.needs_grant(tool, located)),
            effective,
            sentence,
        };
        record.set(|entry| {
            let options = &resolved.effective.options;
            entry.policy_version = Some(resolved.effective.snapshot.version.clone());
            entry.intent = Some(match &resolved.server_says {
                Some(quoted) => format!("{} ({quoted})", resolved.sentence),
                None => resolved.sentence.clone(),
            });
            entry.arguments = CallArguments::of(&exchange.message);
            entry.preview = is_preview;
            entry.plan.clone_from(&options.plan);
        });
        record.set_effect(&resolved.facts);
        Ok(resolved)
    }
}

/// Returns a sentence that says what the call will do. Only Overt itself marks it as a preview.
fn sentence(known: &KnownTool, tool: &str, arguments: &Value, is_preview: bool) -> String {
    let sentence = overt_intent::sentence(known.intent.as_deref(), tool, arguments);
    if is_preview { format!("Preview only: {sentence}") } else { sentence }
}

/// Returns the server's own sentence about the call, quoted as its words. `None` if it has none or
/// says the same. A quotation mark in it can't end the quotation.
fn server_says(known: &KnownTool, arguments: &Value, ours: &str) -> Option<String> {
    let said = known.server_sentence(arguments).filter(|said| said != ours)?;
    let said = said.replace(['\u{201c}', '\u{201d}'], "\"");
    let cut = said.char_indices().nth(LONGEST_SAID).map_or(said.as_str(), |(end, _)| &said[..end]);
    let rest = if cut.len() < said.len() { "…" } else { "" };
    Some(format!("the server says: \u{201c}{cut}{rest}\u{201d}"))
}

/// The most characters of a server's own sentence that are shown.
const LONGEST_SAID: usize = 300;

/// Returns the arguments as a value. `None` if they contain a number that `Value` cannot represent.
fn arguments_of(message: &Message) -> Option<Value> {
    match message.arguments() {
        Member::Value(arguments) => arguments.to_value().ok(),
        Member::Absent => Some(Value::Object(serde_json::Map::new())),
        Member::Null => Some(Value::Null),
    }
}
