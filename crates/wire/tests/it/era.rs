//! Protocol versions, callers, and the methods of each era.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::era::{self, Caller, Era, LogLevel, Version, has_method, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Limits, Member, Object};
use overt_wire::{ErrorObject, Exchange, Message, Method, NoClient, Phase, Principal, Session};

fn message(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap()
}

fn request_with_meta(meta: &str) -> Message {
    message(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}"#))
}

const MODERN: &str = concat!(
    r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}"#
);

#[test]
fn x_01_a_known_legacy_version_is_answered_with_itself() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(Version::negotiate(Some(version)).as_str(), version);
    }
}

#[test]
fn x_01_any_other_version_is_answered_with_the_newest_legacy_one() {
    for asked in [None, Some(""), Some("2026-07-28"), Some("1.0"), Some("2099-01-01"), Some("2025-11-25 ")] {
        assert_eq!(Version::negotiate(asked), Version::NEWEST_LEGACY, "{asked:?}");
    }
}

#[test]
fn versions_are_ordered_by_date_and_split_in_two_eras() {
    let mut texts = Version::ALL.map(Version::as_str);
    texts.reverse();
    assert!(texts.is_sorted());
    assert!(Version::ALL.is_sorted_by(|newer, older| newer > older));
    for version in Version::ALL {
        assert_eq!(Version::parse(version.as_str()), Some(version));
        assert_eq!(version.to_string(), version.as_str());
        let era = if version == Version::V2026_07_28 { Era::Modern } else { Era::Legacy };
        assert_eq!(version.era(), era);
    }
    assert_eq!(Version::parse("2025-11-26"), None);
    assert_eq!(Version::NEWEST.era(), Era::Modern);
}

#[test]
fn x_03_methods_per_era() {
    let legacy_only = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "notifications/initialized",
        "initialized",
        "notifications/roots/list_changed",
    ];
    let modern_only = ["server/discover", "subscriptions/listen", "notifications/subscriptions/acknowledged"];
    // The tasks of 2025-11-25 differ from those of the modern era, but two methods have the same
    // names.
    let both = [
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "tasks/get",
        "tasks/cancel",
        "x/unknown",
    ];
    let eras = |name| (has_method(Era::Legacy, Method::of(name)), has_method(Era::Modern, Method::of(name)));
    for name in legacy_only {
        assert_eq!(eras(name), (true, false), "{name}");
    }
    for name in modern_only {
        assert_eq!(eras(name), (false, true), "{name}");
    }
    for name in both {
        assert_eq!(eras(name), (true, true), "{name}");
    }
}

#[test]
fn x_05_code_for_a_missing_resource() {
    assert_eq!(Version::V2025_11_25.resource_not_found(), -32002);
    assert_eq!(Version::V2026_07_28.resource_not_found(), -32602);
}

#[test]
fn a_message_says_its_era_in_meta() {
    assert_eq!(Caller::era_of(&request_with_meta(MODERN)), Era::Modern);
    let only_capabilities = r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#;
    assert_eq!(Caller::era_of(&request_with_meta(only_capabilities)), Era::Modern);
    assert_eq!(Caller::era_of(&request_with_meta(r#"{"progressToken":1}"#)), Era::Legacy);
    assert_eq!(Caller::era_of(&message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)), Era::Legacy);
}

#[test]
fn a_modern_request_says_who_asks() {
    let caller = Caller::of_modern(&request_with_meta(MODERN)).unwrap();
    assert_eq!((caller.version, caller.era()), (Version::V2026_07_28, Era::Modern));
    assert!(caller.can("elicitation") && !caller.can("sampling"));
    assert_eq!(caller.info.as_ref().unwrap().as_json().get("name").string().unwrap(), "c");
    let meta = caller.to_meta(Object::new()).finish();
    let again = Caller::of_modern(&request_with_meta(meta.as_str())).unwrap();
    assert_eq!(again.capabilities, caller.capabilities);
    assert_eq!(again.info, caller.info);
}

#[test]
fn rpc_12_modern_requests_that_do_not_say_who_asks_are_refused() {
    let code_of = |meta: &str| Caller::of_modern(&request_with_meta(meta)).unwrap_err().code;
    let version = |version: &str, rest: &str| format!(r#"{{"{}":{version}{rest}}}"#, key::PROTOCOL_VERSION);
    let capabilities = |value: &str| format!(r#","{}":{value}"#, key::CLIENT_CAPABILITIES);
    let good = capabilities("{}");
    assert_eq!(code_of("{}"), code::INVALID_PARAMS);
    assert_eq!(code_of(&version("null", &good)), code::INVALID_PARAMS);
    assert_eq!(code_of(&version("20260728", &good)), code::INVALID_PARAMS);
    assert_eq!(code_of(&version(r#""2026-07-28""#, "")), code::INVALID_PARAMS);
    assert_eq!(code_of(&version(r#""2026-07-28""#, &capabilities("[]"))), code::INVALID_PARAMS);
    assert_eq!(code_of(&version(r#""2026-07-28""#, &capabilities("null"))), code::INVALID_PARAMS);
    assert_eq!(code_of(&version(r#""2025-11-25""#, &good)), code::INVALID_PARAMS);
    let level = format!(r#"{good},"{}":"loud""#, key::LOG_LEVEL);
    assert_eq!(code_of(&version(r#""2026-07-28""#, &level)), code::INVALID_PARAMS);
    assert_eq!(code_of(&version(r#""2099-01-01""#, &good)), code::UNSUPPORTED_VERSION);
}

#[test]
fn rpc_12_unsupported_versions_are_told_which_there_are() {
    let data = era::unsupported_version("1\"0").data.unwrap();
    let supported: Vec<String> = data.as_json().get("supported").value().unwrap().read().unwrap();
    assert_eq!(supported, Version::ALL.map(Version::as_str));
    assert_eq!(data.as_json().get("requested").string().unwrap(), "1\"0");
}

#[test]
fn missing_capabilities_are_named() {
    let error = era::missing_capability("sampling");
    assert_eq!(error.code, code::MISSING_CLIENT_CAPABILITY);
    assert_eq!(error.data.unwrap().as_str(), r#"{"requiredCapabilities":{"sampling":{}}}"#);
}

#[test]
fn x_01_initialize_says_who_asks() {
    let initialize = |params: &str| {
        Caller::of_initialize(&message(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#
        )))
    };
    let caller =
        initialize(r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{}}"#)
            .unwrap();
    assert_eq!(caller.version, Version::V2025_06_18);
    assert!(caller.can("roots"));
    assert_eq!(initialize(r#"{"protocolVersion":"next"}"#).unwrap().version, Version::NEWEST_LEGACY);
    for params in ["{}", r#"{"protocolVersion":1}"#, r#"{"protocolVersion":"2025-06-18","capabilities":[]}"#]
    {
        assert_eq!(initialize(params).unwrap_err().code, code::INVALID_PARAMS, "{params}");
    }
    assert!(!Caller::unknown().can("roots"));
}

#[test]
fn log_levels_are_ordered() {
    assert!(LogLevel::ALL.is_sorted());
    for level in LogLevel::ALL {
        assert_eq!(LogLevel::parse(level.as_str()), Some(level));
    }
    let error = LogLevel::read(Member::Value(Json::parse("\"loud\"").unwrap())).unwrap_err();
    assert!(error.message.ends_with("debug, info, notice, warning, error, critical, alert, emergency"));
    assert!(LogLevel::read(Member::Absent).is_err());
}

#[test]
fn method_names_are_kept_both_ways() {
    for name in ["tools/call", "notifications/message", "ai_help", ""] {
        assert_eq!(Method::of(name).name(), name);
        assert_eq!(Method::of(name).to_string(), name);
    }
    assert_eq!(Method::of("Tools/Call"), Method::Other("Tools/Call"));
}

fn exchange(message: Message, session: &Arc<Session>) -> Result<Exchange, ErrorObject> {
    Exchange::new(message, Arc::clone(session), Arc::new(NoClient))
}

#[test]
fn an_exchange_knows_its_caller() {
    let session = Session::new("secret".into(), Principal::local(), Arc::new(NoClient));
    let legacy = message(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(exchange(legacy.clone(), &session).unwrap().caller.version, Version::NEWEST_LEGACY);

    let mut caller = Caller::unknown();
    caller.version = Version::V2024_11_05;
    session.set_phase(Phase::Greeted(Arc::new(caller)));
    assert_eq!(exchange(legacy, &session).unwrap().caller.version, Version::V2024_11_05);
    assert_eq!(exchange(request_with_meta(MODERN), &session).unwrap().caller.version, Version::V2026_07_28);

    let error = exchange(request_with_meta(r#"{"io.modelcontextprotocol/protocolVersion":"x"}"#), &session)
        .unwrap_err();
    assert_eq!(error.code, code::UNSUPPORTED_VERSION);
    session.sink().pause(Duration::ZERO);
}

#[test]
fn a_session_id_stays_out_of_debug_output() {
    let session = Session::new("secret".into(), Principal::local(), Arc::new(NoClient));
    assert_eq!(session.id(), "secret");
    let exchange = exchange(request_with_meta(MODERN), &session).unwrap();
    assert!(!format!("{session:?} {exchange:?}").contains("secret"));
}

#[test]
fn log_level_comes_from_the_session_or_from_the_request() {
    let session = Session::new("s".into(), Principal::local(), Arc::new(NoClient));
    session.set_log_level(LogLevel::Error);
    let legacy = exchange(message(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), &session).unwrap();
    assert_eq!(legacy.log_level(), Some(LogLevel::Error));
    assert_eq!(exchange(request_with_meta(MODERN), &session).unwrap().log_level(), None);
    let meta = MODERN.replacen('{', &format!(r#"{{"{}":"notice","#, key::LOG_LEVEL), 1);
    assert_eq!(exchange(request_with_meta(&meta), &session).unwrap().log_level(), Some(LogLevel::Notice));
}

#[test]
fn progress_tokens_are_strings_or_integers_and_keep_their_text() {
    let session = Session::new("s".into(), Principal::local(), Arc::new(NoClient));
    let token = |token: &str| {
        let request = request_with_meta(&format!(r#"{{"progressToken":{token}}}"#));
        exchange(request, &session).unwrap().progress_token().map(JsonBuf::into_string)
    };
    assert_eq!(token("\"\\u0061\"").as_deref(), Some("\"\\u0061\""));
    assert_eq!(token("-0").as_deref(), Some("-0"));
    for other in ["1.5", "null", "{}", "true"] {
        assert_eq!(token(other), None, "{other}");
    }
}

#[test]
fn http_15_what_may_be_kept_is_kept_for_the_same_caller_only() {
    let server = Object::new().string("name", "x").finish();
    let cached = |version| {
        let body = Object::new().raw("tools", "[]");
        era::complete_result(version, body, None, Some(era::Cache { ttl_ms: 5 }), &server)
    };
    let modern = cached(Version::V2026_07_28);
    assert_eq!(modern.as_json().get("cacheScope").string().as_deref(), Some("private"));
    assert_eq!(modern.as_json().get("ttlMs").value().and_then(Json::integer), Some(5));
    assert_eq!(cached(Version::V2025_11_25).as_str(), r#"{"tools":[]}"#);
}
