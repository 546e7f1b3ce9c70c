//! Settings of the upstream, by the schema that it publishes. A client may configure them together
//! with Overt's own (H-14), and set those that allow it in a call's policy (H-18).
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use overt_policy::mark::key;
use overt_wire::json::{Json, Member};
use overt_wire::{Kind, Message};

/// Members of a client's configuration that Overt does not declare and leaves to the upstream.
#[derive(Debug, Clone)]
pub(crate) enum Foreign {
    /// No members: there is no upstream.
    Refused,
    /// All members, until the upstream has said which settings it has.
    Unchecked,
    /// Members that the upstream's own schema names. Other names are refused, because a misspelt
    /// setting would restrict nothing.
    Named(Arc<UpstreamSchema>),
}

/// What the upstream said of its settings in its last handshake.
#[derive(Debug, Default)]
pub(crate) struct UpstreamSettings(Mutex<Option<Arc<UpstreamSchema>>>);

/// The settings of an upstream.
#[derive(Debug, Default)]
pub(crate) struct UpstreamSchema {
    settings: BTreeMap<String, UpstreamSetting>,
    /// Whether it announces that it applies the policy of a call.
    applies_policies: bool,
}

/// Where a setting of the upstream may be set, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UpstreamSetting {
    pub(super) is_for_policies: bool,
    pub(super) is_for_people: bool,
}

/// The most names that are read from a schema.
const MOST_NAMES: usize = 1_000;

impl Foreign {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Refused => false,
            Self::Unchecked => true,
            Self::Named(schema) => schema.settings.contains_key(name),
        }
    }

    /// Returns the setting that a policy for the upstream names. `None` if the upstream has no such
    /// setting or applies no policies, because the member would then restrict nothing.
    pub(super) fn in_policy(&self, name: &str) -> Option<UpstreamSetting> {
        let Self::Named(schema) = self else { return None };
        schema.settings.get(name).copied().filter(|_| schema.applies_policies)
    }
}

impl UpstreamSettings {
    /// Returns the members that a client may send now. Before the first handshake there are none.
    pub(crate) fn foreign(&self) -> Foreign {
        Foreign::Named(self.lock().clone().unwrap_or_default())
    }

    /// Returns whether the upstream has answered a handshake.
    pub(crate) fn is_known(&self) -> bool {
        self.lock().is_some()
    }

    /// Reads the answer to `initialize` or `server/discover`.
    pub(crate) fn learn(&self, reply: &Message) {
        if reply.kind() == Kind::Result {
            *self.lock() = Some(Arc::new(UpstreamSchema::of(reply)));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<UpstreamSchema>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UpstreamSchema {
    /// Reads all places where servers publish a schema (X-08), and both forms in which they
    /// announce policies (X-09).
    fn of(reply: &Message) -> Self {
        let result = reply.result_body();
        let policy = result.get("capabilities").get("experimental").get("policy");
        let is_off = policy.get("enabled").value().is_some_and(|enabled| enabled.as_str() == "false");
        let applies_policies =
            policy.value().is_some_and(|policy| policy.as_str() == "true" || policy.is_object() && !is_off);
        Self { settings: settings(result), applies_policies }
    }
}

/// Returns what the first answer of a server has in each place where servers publish a schema
/// (X-08).
pub fn published_schemas(result: Member<'_>) -> [Member<'_>; 4] {
    let capabilities = result.get("capabilities");
    [
        result.get("configSchema"),
        result.get("configurationSchema"),
        capabilities.get("configSchema"),
        capabilities.get("extensions").get(key::CONFIG).get("schema"),
    ]
}

fn settings(result: Member<'_>) -> BTreeMap<String, UpstreamSetting> {
    let properties = published_schemas(result)
        .into_iter()
        .filter_map(|schema: Member<'_>| schema.get("properties").value());
    let members = properties.flat_map(Json::members);
    let has = |setting: Json<'_>, name: &str, word: &str| {
        setting.get(name).string().is_some_and(|said| said == word)
    };
    let setting = |setting: Json<'_>| UpstreamSetting {
        is_for_policies: !has(setting, "scope", "configuration"),
        is_for_people: has(setting, "audience", "human"),
    };
    members.map(|(name, value)| (name.name().into_owned(), setting(value))).take(MOST_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use overt_wire::json::Limits;

    use super::*;

    fn learned(result: &str) -> Vec<String> {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let reply = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        UpstreamSchema::of(&reply).settings.into_keys().collect()
    }

    #[test]
    fn h_14_names_are_read_in_every_place_of_a_schema() {
        let schema = r#"{"type":"object","properties":{"own":{},"b":{}}}"#;
        for result in [
            format!(r#"{{"configSchema":{schema},"capabilities":{{}}}}"#),
            format!(r#"{{"configurationSchema":{schema}}}"#),
            format!(r#"{{"capabilities":{{"configSchema":{schema}}}}}"#),
            format!(r#"{{"capabilities":{{"extensions":{{"dev.overt/config":{{"schema":{schema}}}}}}}}}"#),
        ] {
            assert_eq!(learned(&result), ["b", "own"], "{result}");
        }
        for result in [r#"{"configSchema":true}"#, r#"{"configSchema":{"properties":[]}}"#, "{}"] {
            assert_eq!(learned(result), Vec::<String>::new(), "{result}");
        }
    }

    #[test]
    fn before_the_handshake_no_name_is_known() {
        let settings = UpstreamSettings::default();
        assert!(!settings.is_known() && !settings.foreign().has("own"));
    }
}
