//! Checks the declaration of the server (D-02 to D-14).
use url::Url;

use super::emoji::is_one_emoji;
use crate::live::ServerInfo;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::{brief, is_web_address};
use overt_policy::record::ServerRecord;
use overt_wire::rfc3339;

/// Returns the canonical name: the declared one, or the server's own name if it is canonical
/// (D-03).
pub(super) fn name(server: &ServerRecord, info: &ServerInfo, findings: &mut Findings) -> String {
    let at = Pointer::root().join("server").join("name");
    let (name, whose) = match &server.name {
        Some(name) => (name, "is not a canonical name".to_owned()),
        None => (&info.name, format!("is not declared, and the server calls itself `{}`", brief(&info.name))),
    };
    if is_canonical_name(name) {
        return name.clone();
    }
    findings.error(at, whose, "use 1 to 64 lower-case letters, digits and hyphens");
    canonical(name)
}

/// Returns whether the name has 1 to 64 characters of `[a-z0-9-]`.
pub fn is_canonical_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Returns whether this is a name of the official registry: a reversed domain, a slash, a name.
pub fn is_registry_name(name: &str) -> bool {
    let is_part = |part: &str, more: &[u8]| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let parts = name.split_once('/');
    (3..=200).contains(&name.len())
        && parts.is_some_and(|(domain, name)| is_part(domain, b".-") && is_part(name, b"._-"))
}

/// Returns the nearest canonical name, so that a description has one even while the declared one is
/// wrong.
fn canonical(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .take(64)
        .collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() { "server".to_owned() } else { plain.to_owned() }
}

pub(super) fn check(server: &ServerRecord, findings: &mut Findings) {
    let at = Pointer::root().join("server");
    check_description(&server.description, &at.join("description"), findings);
    if server.emoji.as_deref().is_some_and(|emoji| !is_one_emoji(emoji)) {
        findings.error(at.join("emoji"), "is not one emoji", "use a single emoji, or leave it out");
    }
    let urls = at.join("urls");
    for (url, at) in [
        (&server.urls.cli, urls.join("cli")),
        (&server.urls.api, urls.join("api")),
        (&server.urls.web, urls.join("web")),
        (&server.urls.mcp, urls.join("mcp")),
        (&server.homepage, at.join("homepage")),
        (&server.repository, at.join("repository")),
        (&server.status_page, at.join("status_page")),
        (&server.audit.incident_response_uri, at.join("audit").join("incident_response_uri")),
    ] {
        check_url(url.as_deref(), &at, findings);
    }
    if server.audit.log_uri.as_deref().is_some_and(|uri| Url::parse(uri).is_err()) {
        findings.error(at.join("audit").join("log_uri"), "is not a URI", "write an absolute URI");
    }
    if server.audit.retention_days == Some(0) {
        findings.error(at.join("audit").join("retention_days"), "is 0", "write 1 or more, or leave it out");
    }
    for (index, name) in server.requires.env.iter().enumerate() {
        if !is_variable_name(name) {
            findings.error(
                at.join("requires").join("env").index(index),
                "is not the name of an environment variable",
                "write the name alone, such as `API_KEY`, never its value",
            );
        }
    }
    if server
        .last_updated
        .as_deref()
        .is_some_and(|date| rfc3339::parse_date(date).is_none() && rfc3339::parse(date).is_none())
    {
        findings.error(
            at.join("last_updated"),
            "is not an ISO 8601 date",
            "write a date such as `2026-01-21`",
        );
    }
    if server.registry_name.as_deref().is_some_and(|name| !is_registry_name(name)) {
        findings.error(
            at.join("registry_name"),
            "is not the name of the official registry",
            "write a reversed domain, a slash and a name, such as `io.github.someone/server`",
        );
    }
}

/// An agent chooses by the description, so it must say when to use the server (D-04).
fn check_description(description: &str, at: &Pointer, findings: &mut Findings) {
    if description.trim().is_empty() {
        findings.error(
            at.clone(),
            "is missing",
            "say what the server does and when to use it: `… Use when …`",
        );
    } else if !has_trigger(description) {
        findings.error(
            at.clone(),
            "does not say when to use the server",
            "add a phrase that begins with `Use when`, `Use for` or `Use this`",
        );
    }
}

/// Returns whether the text has the words `use when`, `use for` or `use this`, in any case.
fn has_trigger(text: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.windows(2).any(|pair| pair[0] == "use" && matches!(pair[1].as_str(), "when" | "for" | "this"))
}

pub(super) fn check_url(url: Option<&str>, at: &Pointer, findings: &mut Findings) {
    let Some(url) = url else { return };
    if !is_web_address(url) {
        findings.error(
            at.clone(),
            "is not a URL",
            "write an absolute URL such as `https://example.com/docs`",
        );
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
