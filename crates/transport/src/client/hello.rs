//! What the first answer of a server says about it. Pure: an answer in, a verdict out.
use overt_wire::era::{Era, Version, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::{ErrorObject, Message};

use super::error::ClientError;
use super::options::Server;

/// What the answer to `server/discover` says.
#[derive(Debug)]
pub(super) enum Verdict {
    Modern(Server),
    /// A modern server that wants to be asked in this version.
    Ask(Version),
    /// A server to greet with `initialize`.
    Legacy(Version),
    /// The answer has nothing to do with eras.
    Failed(ClientError),
}

/// Reads the answer to `server/discover`. Legacy servers answer it in many ways, so whatever is not plainly
/// modern means legacy.
pub(super) fn judge(answer: Result<Message, ClientError>) -> Verdict {
    match answer {
        Ok(message) => match message.result_body().value() {
            Some(result) => judge_result(result),
            None => Verdict::Legacy(Version::NEWEST_LEGACY),
        },
        Err(ClientError::Refused(error)) => judge_error(error),
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
        ) => Verdict::Failed(error),
        Err(_) => Verdict::Legacy(Version::NEWEST_LEGACY),
    }
}

fn judge_result(result: Json<'_>) -> Verdict {
    let offered = result.get("supportedVersions");
    match best(offered) {
        Some(version) if version.era() == Era::Modern => {
            // Older drafts had it beside the capabilities.
            let info = match result.get("_meta").get(key::SERVER_INFO) {
                Member::Absent => result.get("serverInfo"),
                info => info,
            };
            Verdict::Modern(server(version, result, info))
        }
        Some(version) => Verdict::Legacy(version),
        None if offered.is_absent() => Verdict::Legacy(Version::NEWEST_LEGACY),
        None => Verdict::Failed(no_common(offered)),
    }
}

fn judge_error(error: ErrorObject) -> Verdict {
    match error.code {
        code::UNSUPPORTED_VERSION => {
            let data = error.data.as_ref().map(JsonBuf::as_json);
            let supported = data.map_or(Member::Absent, |data| data.get("supported"));
            match best(supported) {
                Some(version) if version.era() == Era::Modern => Verdict::Ask(version),
                Some(version) => Verdict::Legacy(version),
                None if supported.is_absent() => Verdict::Legacy(Version::NEWEST_LEGACY),
                None => Verdict::Failed(no_common(supported)),
            }
        }
        // Only modern servers know these.
        code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY => {
            Verdict::Failed(ClientError::Refused(error))
        }
        _ => Verdict::Legacy(Version::NEWEST_LEGACY),
    }
}

/// Reads the answer to `initialize`; the version as text if it is none that it may be.
pub(super) fn agreed(answer: &Message) -> Result<Server, String> {
    let result = answer.result_body();
    let offered = result.get("protocolVersion").string().unwrap_or("no version".into());
    let version = Version::parse(&offered).filter(|version| version.era() == Era::Legacy);
    match (version, result.value()) {
        (Some(version), Some(result)) => Ok(server(version, result, result.get("serverInfo"))),
        _ => Err(offered.into_owned()),
    }
}

fn server(version: Version, hello: Json<'_>, info: Member<'_>) -> Server {
    let capabilities = hello.get("capabilities").value().filter(|value| value.is_object());
    Server {
        version,
        capabilities: capabilities.map_or_else(JsonBuf::empty_object, Json::to_buf),
        info: info.value().map(Json::to_buf),
        instructions: hello.get("instructions").string().map(std::borrow::Cow::into_owned),
        hello: hello.to_buf(),
    }
}

/// The newest version that stands in a list of the server's.
fn best(offered: Member<'_>) -> Option<Version> {
    let offered: Vec<_> = offered.value()?.elements().filter_map(Json::string).collect();
    Version::ALL.into_iter().find(|version| offered.iter().any(|offer| offer == version.as_str()))
}

fn no_common(offered: Member<'_>) -> ClientError {
    let offered =
        offered.value().map_or_else(String::new, |offered| offered.as_str().chars().take(200).collect());
    ClientError::Version { offered, spoken: Version::ALL.to_vec() }
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
        let modern = judge(result(
            r#"{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"instructions":"i"}"#,
        ));
        assert!(matches!(modern, Verdict::Modern(server) if server.version == Version::V2026_07_28
            && server.capabilities.as_str() == r#"{"tools":{}}"# && server.instructions.as_deref() == Some("i")));
        assert!(matches!(
            judge(result(r#"{"supportedVersions":["2025-06-18"]}"#)),
            Verdict::Legacy(Version::V2025_06_18)
        ));
        assert!(matches!(judge(result(r#"{"supportedVersions":["2099-01-01"]}"#)), Verdict::Failed(_)));
        assert!(matches!(judge(result("{}")), Verdict::Legacy(_)));
        assert!(matches!(judge(refused(-32601, None)), Verdict::Legacy(Version::V2025_11_25)));
        assert!(matches!(judge(refused(-32602, None)), Verdict::Legacy(_)));
        assert!(matches!(judge(refused(-32020, None)), Verdict::Failed(_)));
        let supported = |list| refused(-32022, Some(list));
        assert!(matches!(judge(supported(r#"{"supported":["2026-07-28"]}"#)), Verdict::Ask(_)));
        assert!(matches!(
            judge(supported(r#"{"supported":["2025-03-26"]}"#)),
            Verdict::Legacy(Version::V2025_03_26)
        ));
        assert!(matches!(judge(supported(r#"{"supported":["x"]}"#)), Verdict::Failed(_)));
        let status = |status| {
            Err(ClientError::Status { url: String::new(), status, body: String::new(), retry_after: None })
        };
        assert!(matches!(judge(status(400)), Verdict::Legacy(_)));
        assert!(matches!(judge(status(500)), Verdict::Legacy(_)));
        assert!(matches!(judge(status(401)), Verdict::Failed(_)));
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
