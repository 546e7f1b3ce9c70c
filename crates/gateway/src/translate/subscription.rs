//! Subscriptions of the modern era: what a client subscribes to, and how its notifications are
//! marked.
use std::collections::BTreeSet;

use overt_wire::edit::{self, Step};
use overt_wire::era::key;
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{ErrorObject, Id, Message, Method};

/// The changes that a client subscribes to, limited to those that the upstream announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    pub(crate) uris: BTreeSet<String>,
}

/// The most resources that one client may watch.
pub(crate) const MOST_URIS: usize = 1000;

// === impl Filter ===

impl Filter {
    /// Reads what a client subscribes to, without what the upstream doesn't announce.
    pub(crate) fn read(wanted: Option<Json<'_>>, capabilities: Json<'_>) -> Result<Self, ErrorObject> {
        let Some(wanted) = wanted.filter(|wanted| wanted.is_object()) else {
            return Err(ErrorObject::invalid_params(
                "`notifications` must be an object that says what to send",
            ));
        };
        let can = |name: &str, what: &str| is_true(capabilities.get(name).value(), what);
        let list = |flag, name| is_true(Some(wanted), flag) && can(name, "listChanged");
        let mut uris = BTreeSet::new();
        if can("resources", "subscribe") {
            let given = wanted.get("resourceSubscriptions").value().into_iter().flat_map(Json::elements);
            uris.extend(given.filter_map(Json::string).map(std::borrow::Cow::into_owned).take(MOST_URIS + 1));
        }
        if uris.len() > MOST_URIS {
            let message = format!("a client may subscribe to at most {MOST_URIS} resources");
            return Err(ErrorObject::invalid_params(message));
        }
        Ok(Self {
            tools: list("toolsListChanged", "tools"),
            prompts: list("promptsListChanged", "prompts"),
            resources: list("resourcesListChanged", "resources"),
            uris,
        })
    }

    /// Returns a filter for everything that the upstream announces, for a legacy client, which
    /// can't choose.
    pub(crate) fn all(capabilities: Json<'_>, uris: BTreeSet<String>) -> Self {
        let list = |name: &str| is_true(capabilities.get(name).value(), "listChanged");
        Self { tools: list("tools"), prompts: list("prompts"), resources: list("resources"), uris }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the filter in the form of `subscriptions/listen`.
    pub(crate) fn to_json(&self) -> JsonBuf {
        let mut object = Object::new();
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                object = object.raw(name, "true");
            }
        }
        if !self.uris.is_empty() {
            object = object.value("resourceSubscriptions", &self.uris);
        }
        object.finish()
    }

    /// Returns the message that acknowledges the filter.
    pub(crate) fn acknowledgement(&self, id: &Id) -> Message {
        let meta = Object::new().raw(key::SUBSCRIPTION_ID, id.token()).finish();
        let params = Object::new()
            .json("_meta", meta.as_json())
            .json("notifications", self.to_json().as_json())
            .finish();
        Message::notification(Method::SubscriptionAcknowledged.name(), Some(params.as_json()))
    }

    pub(crate) fn wants(&self, message: &Message) -> bool {
        match message.method() {
            Some(Method::ToolsChanged) => self.tools,
            Some(Method::PromptsChanged) => self.prompts,
            Some(Method::ResourcesChanged) => self.resources,
            Some(Method::ResourceUpdated) => {
                message.param("uri").string().is_some_and(|uri| self.uris.contains(&*uri))
            }
            _ => false,
        }
    }
}

fn is_true(object: Option<Json<'_>>, name: &str) -> bool {
    object.and_then(|object| object.get(name).value()).and_then(Json::bool).unwrap_or(false)
}

/// Marks a notification with the subscription that it belongs to.
pub(crate) fn marked(message: &Message, id: &Id) -> Option<Message> {
    let id = JsonBuf::parse(id.token()).ok()?;
    let path = [Step::Member("params"), Step::Member("_meta"), Step::Member(key::SUBSCRIPTION_ID)];
    edit::set_in(message, &path, id.as_json()).ok()
}

/// Removes the mark from a notification, for a client without subscriptions.
pub(crate) fn unmarked(message: &Message) -> Message {
    let path = [Step::Member("params"), Step::Member("_meta"), Step::Member(key::SUBSCRIPTION_ID)];
    let plain = edit::remove_in(message, &path).unwrap_or_else(|_| message.clone());
    // Remove a `_meta` that had only the mark, and then empty params: the upstream sent them only
    // for the mark.
    let is_empty =
        |member: Member<'_>| member.value().is_some_and(|object| object.members().next().is_none());
    let without = |message: Message, empty: bool, depth: usize| {
        if empty { edit::remove_in(&message, &path[..depth]).unwrap_or(message) } else { message }
    };
    let empty = is_empty(plain.meta());
    let plain = without(plain, empty, 2);
    let empty = empty && is_empty(plain.params());
    without(plain, empty, 1)
}

/// Marks the answer that ends a subscription for the client.
pub(crate) fn closing(answer: Message, id: &Id) -> Message {
    let marked = !answer.result_body().get("_meta").get(key::SUBSCRIPTION_ID).is_absent();
    let path = [Step::Member("result"), Step::Member("_meta"), Step::Member(key::SUBSCRIPTION_ID)];
    match JsonBuf::parse(id.token()) {
        Ok(id) if marked => edit::set_in(&answer, &path, id.as_json()).unwrap_or(answer),
        _ => answer,
    }
}
