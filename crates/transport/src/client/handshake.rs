//! What the first answer of a server says about the server. Pure functions from answers to
//! conclusions.
use overt_wire::era::{Era, Version, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::{ErrorObject, Message};

use super::error::ClientError;
use super::options::Server;

/// What the answer to `server/discover` says about the server's era.
#[derive(Debug)]
pub(super) enum DiscoverOutcome {
    Modern(Server),
    /// A modern server that wants to be asked in this version.
    Ask(Version),
    /// A server that needs `initialize`.
    Legacy(Version),
    /// The answer says nothing about the era.
    Failed(ClientError),
}

/// Reads the answer to `server/discover`. Legacy servers answer it in many ways, so every answer
/// that is not clearly modern means legacy.
pub(super) fn read_discovery(answer: Result<Message, ClientError>) -> DiscoverOutcome {
    match answer {
        Ok(message) => match message.result_body().value() {
            Some(result) => read_result(result),
            None => DiscoverOutcome::Legacy(Version::NEWEST_LEGACY),
        },
        Err(ClientError::Refused(error)) => read_error(error),
        Err(
            error @ (ClientError::Status { status: 401 | 403 | 407 | 429, .. }
            | ClientError::Unauthorized { .. }
            | ClientError::Redirected { .. }
            | ClientError::Connect { .. }
            | ClientError::Closed { .. }
            | ClientError::TimedOut { .. }
            | ClientError::TooLarge { .. }
            | ClientError::Tls { .. }
            | ClientError::Busy { .. }
            | ClientError::QueueFull { .. }),
        ) => DiscoverOutcome::Failed(error),
        Err(_) => DiscoverOutcome::Legacy(Version::NEWEST_LEGACY),
    }
}

fn read_result(result: Json<'_>) -> DiscoverOutcome {
    let offered = result.get("supportedVersions");
    match best(offered) {
        Some(version) if version.era() == Era::Modern => {
            // Older drafts had it next to the capabilities.
            let info = match result.get("_meta").get(key::SERVER_INFO) {
                Member::Absent => result.get("serverInfo"),
                info => info,
            };
            DiscoverOutcome::Modern(server(version, result, info))
        }
        Some(version) => DiscoverOutcome::Legacy(version),
        None if offered.is_absent() => DiscoverOutcome::Legacy(Version::NEWEST_LEGACY),
        None => DiscoverOutcome::Failed(no_common(offered)),
    }
}

fn read_error(error: ErrorObject) -> DiscoverOutcome {
    match error.code {
        code::UNSUPPORTED_VERSION => {
            let data = error.data.as_ref().map(JsonBuf::as_json);
            let supported = data.map_or(Member::Absent, |data| data.get("supported"));
            match best(supported) {
                Some(version) if version.era() == Era::Modern => DiscoverOutcome::Ask(version),
                Some(version) => DiscoverOutcome::Legacy(version),
                None if supported.is_absent() => DiscoverOutcome::Legacy(Version::NEWEST_LEGACY),
                None => DiscoverOutcome::Failed(no_common(supported)),
            }
        }
        // Only modern servers use these codes.
        code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY => {
            DiscoverOutcome::Failed(ClientError::Refused(error))
        }
        _ => DiscoverOutcome::Legacy(Version::NEWEST_LEGACY),
    }
}

/// Reads the answer to `initialize`. Returns the offered version as text if it is not a known
/// legacy version.
pub(super) fn agreed(answer: &Message) -> Result<Server, String> {
    let result = answer.result_body();
    let offered = result.get("protocolVersion").string().unwrap_or("no version".into());
    let version = Version::parse(&offered).filter(|version| version.era() == Era::Legacy);
    match (version, result.value()) {
        (Some(version), Some(result)) => Ok(server(version, result, result.get("serverInfo"))),
        _ => Err(offered.into_owned()),
    }
}

fn server(version: Version, handshake: Json<'_>, info: Member<'_>) -> Server {
    let capabilities = handshake.get("capabilities").value().filter(|value| value.is_object());
    Server {
        version,
        capabilities: capabilities.map_or_else(JsonBuf::empty_object, Json::to_buf),
        info: info.value().map(Json::to_buf),
        instructions: handshake.get("instructions").string().map(std::borrow::Cow::into_owned),
        handshake: handshake.to_buf(),
    }
}

/// The newest known version in the server's list.
fn best(offered: Member<'_>) -> Option<Version> {
    let offered: Vec<_> = offered.value()?.elements().filter_map(Json::string).collect();
    Version::ALL.into_iter().find(|version| offered.iter().any(|offer| offer == version.as_str()))
}

fn no_common(offered: Member<'_>) -> ClientError {
    let offered =
        offered.value().map_or_else(String::new, |offered| offered.as_str().chars().take(200).collect());
    ClientError::Version { offered, supported: Version::ALL.to_vec() }
}

#[cfg(test)]
mod tests {
    use overt_wire::Id;

    use super::*;

    fn result(text: &str) -> Result<Message, ClientError> {
        Ok(Message::result(&Id::from(1), Json::parse(text).unwrap()))
    }

    fn refused(code: i64, data: Option<&str>) -> Result<Message, ClientError> {
        let error =
            ErrorObject { code, message: "no".into(), data: data.map(|data| JsonBuf::parse(data).unwrap()) };
        Err(ClientError::Refused(error))
    }

    #[test]
    fn verdicts() {
        let modern = read_discovery(result(
            r#"{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"instructions":"i"}"#,
        ));
        assert!(matches!(modern, DiscoverOutcome::Modern(server) if server.version == Version::V2026_07_28
            && server.capabilities.as_str() == r#"{"tools":{}}"# && server.instructions.as_deref() == Some("i")));
        assert!(matches!(
            read_discovery(result(r#"{"supportedVersions":["2025-06-18"]}"#)),
            DiscoverOutcome::Legacy(Version::V2025_06_18)
        ));
        assert!(matches!(
            read_discovery(result(r#"{"supportedVersions":["2099-01-01"]}"#)),
            DiscoverOutcome::Failed(_)
        ));
        assert!(matches!(read_discovery(result("{}")), DiscoverOutcome::Legacy(_)));
        assert!(matches!(
            read_discovery(refused(-32601, None)),
            DiscoverOutcome::Legacy(Version::V2025_11_25)
        ));
        assert!(matches!(read_discovery(refused(-32602, None)), DiscoverOutcome::Legacy(_)));
        assert!(matches!(read_discovery(refused(-32020, None)), DiscoverOutcome::Failed(_)));
        let supported = |list| refused(-32022, Some(list));
        assert!(matches!(
            read_discovery(supported(r#"{"supported":["2026-07-28"]}"#)),
            DiscoverOutcome::Ask(_)
        ));
        assert!(matches!(
            read_discovery(supported(r#"{"supported":["2025-03-26"]}"#)),
            DiscoverOutcome::Legacy(Version::V2025_03_26)
        ));
        assert!(matches!(read_discovery(supported(r#"{"supported":["x"]}"#)), DiscoverOutcome::Failed(_)));
        let status = |status| {
            Err(ClientError::Status { url: String::new(), status, body: String::new(), retry_after: None })
        };
        assert!(matches!(read_discovery(status(400)), DiscoverOutcome::Legacy(_)));
        assert!(matches!(read_discovery(status(500)), DiscoverOutcome::Legacy(_)));
        assert!(matches!(read_discovery(status(401)), DiscoverOutcome::Failed(_)));
    }

    #[test]
    fn only_legacy_versions_are_agreed_on_with_initialize() {
        let answer = |version| {
            let text = format!(r#"{{"protocolVersion":"{version}","serverInfo":{{"name":"s"}}}}"#);
            agreed(&Message::result(&Id::from(1), Json::parse(&text).unwrap()))
        };
        assert_eq!(answer("2024-11-05").unwrap().version, Version::V2024_11_05);
        assert_eq!(answer("2026-07-28").unwrap_err(), "2026-07-28");
        assert_eq!(answer("1.0").unwrap_err(), "1.0");
    }
}
