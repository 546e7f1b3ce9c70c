//! Announcements of changes, and the filter of a listener.
use std::collections::HashSet;

use overt_wire::era::key;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Id, Message};

/// A change that clients can be told about.
#[derive(Debug, Clone)]
pub(super) enum Announcement {
    Tools,
    Prompts,
    Resources,
    Resource(String),
    Task {
        id: String,
        /// The members of `notifications/tasks`.
        detail: JsonBuf,
    },
}

/// The announcements that a listener asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    pub(super) uris: HashSet<String>,
    pub(super) tasks: HashSet<String>,
}

/// The most resources that one client may watch. The limit for tasks is the same.
pub(super) const MOST_URIS: usize = 1000;

// === impl Announcement ===

impl Announcement {
    /// Returns the notification, marked with the id of its subscription if there is one.
    pub(super) fn message(&self, subscription: Option<&Id>) -> Message {
        let method = match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
            Self::Task { .. } => "notifications/tasks",
        };
        let params = match subscription {
            Some(id) => Object::new().json("_meta", subscription_meta(id).as_json()),
            None => Object::new(),
        };
        let params = match self {
            Self::Resource(uri) => params.string("uri", uri),
            Self::Task { detail, .. } => params.members_of(detail.as_json()),
            _ if subscription.is_none() => return Message::notification(method, None),
            _ => params,
        };
        Message::notification(method, Some(params.finish().as_json()))
    }
}

// === impl Filter ===

impl Filter {
    pub(super) fn read(exchange: &Exchange) -> Result<Self, ErrorObject> {
        let wanted = exchange.message.param("notifications");
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

    pub(super) fn wants(&self, announcement: &Announcement) -> bool {
        match announcement {
            Announcement::Tools => self.tools,
            Announcement::Prompts => self.prompts,
            Announcement::Resources => self.resources,
            Announcement::Resource(uri) => self.uris.contains(uri),
            Announcement::Task { id, .. } => self.tasks.contains(id),
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

pub(super) fn subscription_meta(id: &Id) -> JsonBuf {
    Object::new().raw(key::SUBSCRIPTION_ID, id.token()).finish()
}
