//! Requests about prompts, and completion for the arguments of prompts and the variables of
//! resource templates.
use std::collections::BTreeMap;

use overt_wire::json::Object;
use overt_wire::{ErrorObject, Exchange};

use super::context::CallConditions;
use super::endpoint::{RunReply, ToolServer, protocol_error};
use super::prompt::Completer;
use super::reply::{Answer, Reply};

/// The protocol's limit for one list of suggestions.
const MOST_SUGGESTIONS: usize = 100;

impl ToolServer {
    pub(super) async fn prompts_get(&self, exchange: Exchange, conditions: CallConditions) -> Answer {
        let version = exchange.caller.version;
        let params = exchange.message.params();
        let Some(name) = params.get("name").string() else {
            return Err(ErrorObject::invalid_params("`name` must be a string: the name of a prompt"));
        };
        let Some(prompt) = self.prompts.get(name.as_ref()) else {
            let message = format!("unknown prompt `{name}`; `prompts/list` has the names");
            return Err(ErrorObject::invalid_params(message));
        };
        let given = prompt.read(params.get("arguments"))?;
        match self.run(exchange, conditions, |context| (prompt.get)(given, context)).await? {
            RunReply::Done(reply) => {
                let reply = reply.map_err(|error| protocol_error(error, version, &prompt.name))?;
                Ok(Reply::new(reply.to_object(version)).finish(version, &self.info))
            }
            RunReply::NeedsInput(result) => Ok(result),
        }
    }

    pub(super) fn complete(&self, exchange: &Exchange) -> Answer {
        let params = exchange.message.params();
        let reference = params.get("ref");
        let argument = params.get("argument");
        let (Some(name), Some(typed)) = (argument.get("name").string(), argument.get("value").string())
        else {
            return Err(ErrorObject::invalid_params("`argument` must have `name` and `value`, both strings"));
        };
        let completers: &BTreeMap<String, Completer> = match reference.get("type").string().as_deref() {
            Some("ref/prompt") => {
                let prompt = reference.get("name").string().unwrap_or_default();
                let found = self.prompts.get(prompt.as_ref());
                &found
                    .ok_or_else(|| ErrorObject::invalid_params(format!("unknown prompt `{prompt}`")))?
                    .completers
            }
            Some("ref/resource") => {
                let uri = reference.get("uri").string().unwrap_or_default();
                let found = self.templates.iter().find(|template| template.template == uri);
                &found
                    .ok_or_else(|| ErrorObject::invalid_params(format!("unknown template `{uri}`")))?
                    .completers
            }
            _ => {
                return Err(ErrorObject::invalid_params("`ref.type` must be `ref/prompt` or `ref/resource`"));
            }
        };
        let all = completers.get(name.as_ref()).map(|suggest| suggest(&typed)).unwrap_or_default();
        let values = &all[..all.len().min(MOST_SUGGESTIONS)];
        let completion = Object::new()
            .value("values", values)
            .value("total", &all.len())
            .value("hasMore", &(all.len() > values.len()))
            .finish();
        let body = Object::new().json("completion", completion.as_json());
        Ok(Reply::new(body).finish(exchange.caller.version, &self.info))
    }
}
