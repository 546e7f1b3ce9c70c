//! Puts Overt in front of a remote server. Headers become environment variables of the entry, so
//! that no secret is on a command line; the client replaces references the same way in both.
use std::ops::Range;

use overt_secrets::is_secret_name;

use super::document::{Document, Entry};
use super::launch::Remote;
use super::node::Node;
use super::refusal::Refusal;
use super::splice::{Edit, EditPosition};
use super::wrapper::Wrapper;
use crate::Syntax;

/// Whether Overt can log in to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// `overt login` succeeded for it.
    Overt,
    /// Overt has no tokens for it.
    None,
}

const VARIABLE: &str = "OVERT_HEADER_";

pub(super) fn wrap(
    document: &Document,
    entry: &Entry,
    remote: &Remote<'_>,
    wrapper: &Wrapper,
    login: Login,
) -> Result<Edit, Refusal> {
    if document.syntax() != Syntax::Json || entry.node.range != remote.holder.range {
        return Err(Refusal::RemoteOfClient);
    }
    let holder = remote.holder;
    if holder.get("headersHelper").is_some() {
        return Err(Refusal::HeadersHelper);
    }
    // opencode uses other words for the same things.
    let is_opencode = holder.get("type").and_then(Node::string) == Some("remote");
    let (local, variables) = if is_opencode { ("local", "environment") } else { ("stdio", "env") };
    if holder.get(variables).is_some() || holder.get("envFile").is_some() {
        return Err(Refusal::AddressWithEnvironment);
    }
    if has_secret(remote.url) {
        return Err(Refusal::SecretInAddress);
    }
    let headers = holder.member("headers").filter(|headers| !headers.node.members().is_empty());
    let names_login = ["oauth", "auth"].iter().any(|name| holder.get(name).is_some());
    let is_public = headers.is_some() || is_loopback(remote.url);
    if login == Login::None && (names_login || !is_public) {
        return Err(Refusal::LoginOfClient(remote.url.to_owned()));
    }
    let mut words = wrapper.words(&entry.id.name);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    if let Some(headers) = headers {
        changes.push((headers.name_range.clone(), document.quote(variables)));
        let mut taken: Vec<String> = Vec::new();
        for header in headers.node.members() {
            if header.node.string().is_none() {
                return Err(Refusal::Shape("headers"));
            }
            let variable = variable(&header.name, &taken);
            words.extend(["--header-env".to_owned(), format!("{}={variable}", header.name)]);
            changes.push((header.name_range.clone(), document.quote(&variable)));
            taken.push(variable);
        }
    }
    let words: Vec<String> = words.iter().map(|word| document.quote(word)).collect();
    // The address is copied as written, so that the client reads it as before.
    let url = &document.text()[remote.address.node.range.clone()];
    let gap = layout(document, remote.address.name_range.start);
    let (program, words) = (document.quote(&wrapper.program), words.join(", "));
    let started = match is_opencode {
        true => format!("\"command\": [{program}, {words}, {url}]"),
        false => format!("\"command\": {program},{gap}\"args\": [{words}, {url}]"),
    };
    changes.push((remote.address.name_range.start..remote.address.node.range.end, started));
    if let Some(kind) = holder.get("type").filter(|kind| kind.string().is_some()) {
        changes.push((kind.range.clone(), document.quote(local)));
    }
    changes.sort_by_key(|(range, _)| range.start);
    let mut written = String::new();
    let mut at = entry.node.range.start;
    for (range, text) in changes {
        written.push_str(&document.text()[at..range.start]);
        written.push_str(&text);
        at = range.end;
    }
    written.push_str(&document.text()[at..entry.node.range.end]);
    Ok(Edit::new(document, entry, EditPosition::default(), entry.node.range.clone(), written))
}

/// Returns the whitespace between two members: a line break and the indentation, or a space.
fn layout(document: &Document, start: usize) -> String {
    let before = &document.text()[..start];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let indent = &before[line..];
    match line > 0 && indent.chars().all(char::is_whitespace) {
        true => format!("{}{indent}", document.line_end()),
        false => " ".to_owned(),
    }
}

/// Returns a variable name for a header that no other header has.
fn variable(header: &str, taken: &[String]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name = format!("{VARIABLE}{}", header.chars().map(plain).collect::<String>());
    match taken.contains(&name) {
        true => format!("{name}_{}", taken.len()),
        false => name,
    }
}

/// Returns whether the server is on this machine, where most servers need no login.
fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.strip_prefix('[').map_or_else(
        || host.split(':').next().unwrap_or_default(),
        |rest| rest.split(']').next().unwrap_or_default(),
    );
    name == "localhost" || name == "::1" || name.parse().is_ok_and(|ip: std::net::Ipv4Addr| ip.is_loopback())
}

/// Returns whether a URL contains a user and password, or a parameter that is named like a secret.
fn has_secret(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let parameters = query.split('&').filter_map(|parameter| parameter.split('=').next());
    host.contains('@') || { parameters }.any(|name| is_secret_name(name) || name.eq_ignore_ascii_case("key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged() {
        assert!(
            is_loopback("http://localhost:3000/mcp")
                && is_loopback("http://127.1.2.3/")
                && is_loopback("http://[::1]:1/")
        );
        assert!(
            !is_loopback("https://localhost.example.com") && !is_loopback("https://example.com/localhost")
        );
        assert!(has_secret("https://u:p@x/mcp") && has_secret("https://x/mcp?a=b&api_key=1"));
        assert!(!has_secret("https://x/mcp?project=1"));
    }

    #[test]
    fn headers_get_variables_of_their_own() {
        assert_eq!(variable("X-Api-Key", &[]), "OVERT_HEADER_X_API_KEY");
        assert_eq!(variable("x_api_key", &["OVERT_HEADER_X_API_KEY".to_owned()]), "OVERT_HEADER_X_API_KEY_1");
    }
}
