//! What may change, how it is told, and what a listener asked to hear of.
use std::collections::HashSet;
use std::sync::Arc;

use overt_wire::era::{self, key};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Id, Message};

use super::task::{Task, Tasks};

/// What may change.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
    Task(Arc<Task>),
}

/// What a listener asked to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    pub(super) uris: HashSet<String>,
    pub(super) tasks: HashSet<String>,
}

/// Resources that one client may watch, and tasks.
pub(super) const MOST_URIS: usize = 1000;

// === impl Change ===

impl Change {
    /// The notification, marked with the subscription it belongs to if there is one.
    pub(super) fn message(&self, subscription: Option<&Id>) -> Message {
        let method = match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
            Self::Task(_) => "notifications/tasks",
        };
        let params = match subscription {
            Some(id) => Object::new().json("_meta", subscription_meta(id).as_json()),
            None => Object::new(),
        };
        let params = match self {
            Self::Resource(uri) => params.string("uri", uri),
            // As it is now, which may be further on than when the change was noted.
            Self::Task(task) => task.detail(params),
            _ if subscription.is_none() => return Message::notification(method, None),
            _ => params,
        };
        Message::notification(method, Some(params.finish().as_json()))
    }
}

// === impl Filter ===

impl Filter {
    pub(super) fn read(exchange: &Exchange) -> Result<Self, ErrorObject> {
        let wanted = exchange.message.params().get("notifications");
        let Some(wanted) = wanted.value().filter(|wanted| wanted.is_object()) else {
            return Err(ErrorObject::invalid_params(
                "`notifications` must be an object that says what to send",
            ));
        };
        let flag = |name| wanted.get(name).value().and_then(Json::bool).unwrap_or(false);
        let uris: HashSet<String> = wanted
            .get("resourceSubscriptions")
            .value()
            .into_iter()
            .flat_map(Json::elements)
            .filter_map(|uri| uri.string().map(std::borrow::Cow::into_owned))
            .take(MOST_URIS + 1)
            .collect();
        if uris.len() > MOST_URIS {
            let message = format!("a client may subscribe to at most {MOST_URIS} resources");
            return Err(ErrorObject::invalid_params(message));
        }
        Ok(Self {
            tools: flag("toolsListChanged"),
            prompts: flag("promptsListChanged"),
            resources: flag("resourcesListChanged"),
            uris,
            tasks: HashSet::new(),
        })
    }

    pub(super) fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
            Change::Task(task) => self.tasks.contains(&task.id),
        }
    }

    pub(super) fn acknowledgement(&self, id: &Id) -> Message {
        let mut agreed = Object::new();
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                agreed = agreed.raw(name, "true");
            }
        }
        if !self.uris.is_empty() {
            let mut uris: Vec<&String> = self.uris.iter().collect();
            uris.sort();
            agreed = agreed.value("resourceSubscriptions", &uris);
        }
        if !self.tasks.is_empty() {
            let mut ids: Vec<&String> = self.tasks.iter().collect();
            ids.sort();
            agreed = agreed.value("taskIds", &ids);
        }
        let params = Object::new()
            .json("_meta", subscription_meta(id).as_json())
            .json("notifications", agreed.finish().as_json())
            .finish();
        Message::notification("notifications/subscriptions/acknowledged", Some(params.as_json()))
    }
}

/// The tasks that a listener asks for, as far as there are such tasks.
pub(super) fn known_tasks(exchange: &Exchange, tasks: &Tasks) -> Result<HashSet<String>, ErrorObject> {
    let Some(ids) = exchange.message.params().get("notifications").get("taskIds").value() else {
        return Ok(HashSet::new());
    };
    if !exchange.caller.has_extension(key::TASKS) {
        return Err(era::missing_extension(key::TASKS));
    }
    let ids: Vec<_> = ids.elements().filter_map(Json::string).take(MOST_URIS + 1).collect();
    if ids.len() > MOST_URIS {
        return Err(ErrorObject::invalid_params(format!("a client may watch at most {MOST_URIS} tasks")));
    }
    Ok(ids.iter().filter(|id| tasks.find(id).is_some()).map(|id| id.clone().into_owned()).collect())
}

pub(super) fn subscription_meta(id: &Id) -> JsonBuf {
    Object::new().raw(key::SUBSCRIPTION_ID, id.token()).finish()
}
