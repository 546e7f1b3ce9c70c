//! The configuration that a client sends: with `initialize` in the legacy era, with each request in
//! the modern era (H-15, X-10).
use overt_settings::OverlayRefusal;
use overt_wire::ErrorObject;
use overt_wire::era::Caller;
use overt_wire::json::{Json, Member, Object};
use serde_json::{Map, Value};

/// Returns the client's configuration as it was sent, of any type. `None` if it is absent or null.
pub fn client_configuration(caller: &Caller) -> Option<Json<'_>> {
    match caller.capabilities.as_json().get("experimental").get("configuration") {
        Member::Value(sent) => Some(sent),
        Member::Absent | Member::Null => None,
    }
}

/// The largest configuration that is read, in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// Returns the members of a client's configuration.
pub(super) fn table(sent: Json<'_>) -> Result<Map<String, Value>, ErrorObject> {
    let no = |why: &str| {
        let data = Object::new().string("kind", INVALID).string("path", "").finish();
        ErrorObject::invalid_params(format!("`capabilities.experimental.configuration` {why}"))
            .with_data(data)
    };
    if !sent.is_object() {
        return Err(no("must be an object"));
    }
    if sent.as_str().len() > MOST_BYTES {
        return Err(no(&format!("has more than {MOST_BYTES} bytes")));
    }
    sent.read().map_err(|_| no("has a number that can't be represented"))
}

const INVALID: &str = "configuration_invalid";
const WIDER: &str = "configuration_expansion";

/// Returns the error for a configuration that cannot be accepted. It lists every problem with its
/// place.
pub(super) fn refused(refused: OverlayRefusal) -> ErrorObject {
    let (kind, what) = match refused.invalid.is_empty() {
        false => (INVALID, "the configuration does not fit the published schema"),
        true => (WIDER, "a client's configuration can only narrow what is in force here"),
    };
    let findings = refused.into_findings();
    let first = findings.iter().next();
    let path = first.map_or("", |finding| finding.at.as_str());
    let all: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let said = first.map_or_else(String::new, ToString::to_string);
    let data = Object::new().string("kind", kind).string("path", path).value("problems", &all).finish();
    ErrorObject::invalid_params(format!("{what}: {said}")).with_data(data)
}
