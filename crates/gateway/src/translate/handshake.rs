//! Converts the first answer of the upstream to the client's era. Members that neither era defines
//! are passed on.
use overt_transport::client::Server;
use overt_wire::edit::{self, Step};
use overt_wire::era::{Version, key};
use overt_wire::json::{Json, JsonBuf, Object};

use super::upstream_marks::move_marks_of_handshake;

/// Members that each era writes in its own way, or that have no meaning in the other.
const LEGACY: [&str; 5] = ["protocolVersion", "capabilities", "serverInfo", "instructions", "_meta"];
const MODERN: [&str; 7] =
    ["supportedVersions", "capabilities", "instructions", "resultType", "ttlMs", "cacheScope", "_meta"];

/// Returns the result of `initialize` for a legacy client with a legacy upstream: the upstream's
/// result, but in the version that the client asked for. The two conversations may have different
/// versions.
pub(crate) fn initialize_as_it_is(server: &Server, version: Version) -> JsonBuf {
    let handshake = move_marks_of_handshake(&server.handshake);
    if server.version == version {
        return handshake;
    }
    let quoted = format!("\"{}\"", version.as_str());
    let set = Json::parse(&quoted)
        .ok()
        .and_then(|quoted| edit::set(handshake.as_json(), &[Step::Member("protocolVersion")], quoted).ok());
    set.unwrap_or(handshake)
}

/// Returns the result of `initialize` for a legacy client with a modern upstream.
pub(crate) fn initialize(server: &Server, version: Version, label: &str) -> JsonBuf {
    let handshake = move_marks_of_handshake(&server.handshake);
    let handshake = handshake.as_json();
    let capabilities = legacy_capabilities(server.capabilities.as_json());
    let object = Object::with_capacity(handshake.as_str().len() + 128)
        .string("protocolVersion", version.as_str())
        .json("capabilities", capabilities.as_json())
        .json("serverInfo", info(server, label).as_json());
    let object = instructions(server, object);
    let meta = handshake.get("_meta").value().map(|meta| without(meta, &[key::SERVER_INFO]));
    let object = match meta.filter(|meta| meta.as_str() != "{}") {
        Some(meta) => object.json("_meta", meta.as_json()),
        None => object,
    };
    others(object, handshake, &[&MODERN, &LEGACY]).finish()
}

/// Returns the capabilities without extensions that only the modern era has. Skills are the same in
/// both (SEP-2640).
fn legacy_capabilities(capabilities: Json<'_>) -> JsonBuf {
    let kept = without(capabilities, &["extensions"]);
    match capabilities.get("extensions").get(key::SKILLS).value() {
        Some(skills) => {
            let extensions = Object::new().json(key::SKILLS, skills).finish();
            Object::new().members_of(kept.as_json()).json("extensions", extensions.as_json()).finish()
        }
        None => kept,
    }
}

/// Returns the result of `server/discover` for a modern client with a legacy upstream. `session` is
/// the handle with which the client can have its own session.
pub(crate) fn discover(server: &Server, label: &str, session: &str) -> JsonBuf {
    let handshake = move_marks_of_handshake(&server.handshake);
    let handshake = handshake.as_json();
    // Tasks of 2025-11-25 differ from those of the modern era, and can't be translated.
    let capabilities = without(server.capabilities.as_json(), &["tasks"]);
    let object = Object::with_capacity(handshake.as_str().len() + 256)
        .value("supportedVersions", &Version::ALL.map(Version::as_str))
        .json("capabilities", capabilities.as_json());
    let object = instructions(server, object)
        .string("resultType", "complete")
        .raw("ttlMs", "0")
        .string("cacheScope", "private");
    let mut meta = Object::new();
    if let Some(given) = handshake.get("_meta").value() {
        meta = meta.members_of(without(given, &[key::SERVER_INFO, super::request::SESSION]).as_json());
    }
    let meta = meta
        .json(key::SERVER_INFO, info(server, label).as_json())
        .string(super::request::SESSION, session)
        .finish();
    others(object.json("_meta", meta.as_json()), handshake, &[&MODERN, &LEGACY]).finish()
}

/// Returns the server's name and version. Clients require a name, so the default is `label`.
pub(crate) fn info(server: &Server, label: &str) -> JsonBuf {
    let nameless = || Object::new().string("name", label).string("version", "unknown").finish();
    server.info.clone().filter(|info| info.as_json().is_object()).unwrap_or_else(nameless)
}

fn instructions(server: &Server, object: Object) -> Object {
    match &server.instructions {
        Some(instructions) => object.string("instructions", instructions),
        None => object,
    }
}

/// Adds the members that neither era defines, such as those of an extension.
fn others(object: Object, handshake: Json<'_>, defined: &[&[&str]]) -> Object {
    let other = handshake.members().filter(|(name, _)| {
        let name = name.name();
        !defined.iter().any(|names| names.contains(&&*name))
    });
    other.fold(object, |object, (name, value)| object.json(&name.name(), value))
}

fn without(object: Json<'_>, names: &[&str]) -> JsonBuf {
    let kept = object.members().filter(|(name, _)| !names.contains(&&*name.name()));
    kept.fold(Object::new(), |object, (name, value)| object.json(&name.name(), value)).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(version: Version, handshake: &str, info: &str) -> Server {
        let handshake = JsonBuf::parse(handshake).unwrap();
        Server {
            version,
            capabilities: handshake.as_json().get("capabilities").value().unwrap().to_buf(),
            info: Some(JsonBuf::parse(info).unwrap()),
            instructions: handshake.as_json().get("instructions").string().map(std::borrow::Cow::into_owned),
            handshake,
        }
    }

    #[test]
    fn h_32_the_version_towards_the_client_is_the_one_that_it_asked_for() {
        let handshake = r#"{"protocolVersion":"2024-11-05", "capabilities":{},"serverInfo":{"name":"s"}}"#;
        let old = server(Version::V2024_11_05, handshake, r#"{"name":"s"}"#);
        assert_eq!(initialize_as_it_is(&old, Version::V2024_11_05).as_str(), handshake);
        assert_eq!(
            initialize_as_it_is(&old, Version::V2025_11_25).as_str(),
            handshake.replace("2024-11-05", "2025-11-25")
        );
    }

    #[test]
    fn skills_are_the_extension_of_both_eras() {
        let modern = server(
            Version::V2026_07_28,
            r#"{"supportedVersions":["2026-07-28"],"capabilities":{"resources":{},"extensions":{"x":{},"io.modelcontextprotocol/skills":{"directoryRead":true}}}}"#,
            r#"{"name":"s"}"#,
        );
        assert_eq!(
            initialize(&modern, Version::V2025_11_25, "up").as_str(),
            r#"{"protocolVersion":"2025-11-25","capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}},"serverInfo":{"name":"s"}}"#
        );
    }

    #[test]
    fn what_neither_era_defines_passes_in_both_directions() {
        let modern = server(
            Version::V2026_07_28,
            r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"x":{}}},"instructions":"i","resultType":"complete","ttlMs":5,"dashdash":{"a": 1.0},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"},"k":1}}"#,
            r#"{"name":"s"}"#,
        );
        assert_eq!(
            initialize(&modern, Version::V2025_06_18, "up").as_str(),
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s"},"instructions":"i","_meta":{"k":1},"dashdash":{"a": 1.0}}"#
        );
        let legacy = server(
            Version::V2025_11_25,
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{}},"serverInfo":{"name":"s"},"dashdash":{"a": 1.0},"_meta":{"k":1}}"#,
            r#"{"name":"s"}"#,
        );
        assert_eq!(
            discover(&legacy, "up", "h").as_str(),
            r#"{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"k":1,"io.modelcontextprotocol/serverInfo":{"name":"s"},"dev.overt/session":"h"},"dashdash":{"a": 1.0}}"#
        );
    }
}
