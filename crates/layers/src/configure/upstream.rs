//! Settings of the upstream. A client may configure them together with Overt's own, by the schema
//! that the upstream publishes (H-14).
use std::collections::BTreeSet;
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
    Named(Arc<BTreeSet<String>>),
}

/// The property names of the schema that the upstream published in its last handshake.
#[derive(Debug, Default)]
pub(crate) struct UpstreamSettings(Mutex<Option<Arc<BTreeSet<String>>>>);

/// The most names that are read from a schema.
const MOST_NAMES: usize = 1_000;

impl Foreign {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Refused => false,
            Self::Unchecked => true,
            Self::Named(names) => names.contains(name),
        }
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
            *self.lock() = Some(Arc::new(names(reply)));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<BTreeSet<String>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

fn names(reply: &Message) -> BTreeSet<String> {
    let properties = published_schemas(reply.result_body())
        .into_iter()
        .filter_map(|schema: Member<'_>| schema.get("properties").value());
    let members = properties.flat_map(Json::members);
    members.map(|(name, _)| name.name().into_owned()).take(MOST_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use overt_wire::json::Limits;

    use super::*;

    fn learned(result: &str) -> Vec<String> {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        names(&Message::parse(text.into_bytes(), &Limits::default()).unwrap()).into_iter().collect()
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
