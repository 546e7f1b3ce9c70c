//! The canonical form of a URI: normalised as WHATWG defines it, then escapes of unreserved
//! characters are decoded. Anything that servers could interpret in different ways is rejected.
use url::{Position, Url};

use super::UriError;
use super::escapes::{check, decode, decode_all, is_unreserved, push_encoded};
use crate::scope::{Action, Scope};

/// The URI of a resource. It is judged and forwarded in this form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceUri {
    text: String,
    /// The text that patterns are matched against: readable names instead of escapes.
    readable: String,
    /// The absolute path, if it is a `file:` URI.
    path: Option<String>,
}

/// Where a URI comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Client,
    /// The server wrote the URI itself. Spaces inside it, empty segments of its path and a fragment
    /// are accepted, because no other spelling of it is forwarded.
    Server,
}

impl ResourceUri {
    /// Returns the canonical form of a URI that a client sent.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        parse(text, Origin::Client)
    }

    /// Returns the canonical form of a URI that the server itself wrote, in a list or in a result.
    pub fn parse_listed(text: &str) -> Result<Self, UriError> {
        parse(text, Origin::Server)
    }

    /// Returns the URI of a file or folder with this absolute path.
    pub fn of_path(path: &str) -> Self {
        of_names(path.split('/').filter(|name| !name.is_empty()))
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text that patterns are matched against.
    pub fn readable(&self) -> &str {
        &self.readable
    }

    /// Returns the forms in which a pattern may deny it: a query or a trailing slash doesn't make
    /// it another resource.
    pub(crate) fn denied_forms(&self) -> impl Iterator<Item = &str> {
        let whole = self.readable.as_str();
        let bare = whole.split('?').next().unwrap_or_default();
        let folder = bare.strip_suffix('/').filter(|folder| !folder.ends_with('/'));
        [Some(whole), Some(bare).filter(|bare| *bare != whole), folder].into_iter().flatten()
    }

    /// Returns the absolute path of a `file:` URI.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Returns the scope that reading it needs if no other is declared: `read:file:PATH`, or
    /// `read:SERVER:URI`.
    pub fn scope(&self, server: &str) -> Scope {
        match &self.path {
            Some(path) => Scope::of_path(Action::Read, "file", path),
            None => self.scope_of_server(server),
        }
    }

    /// Returns the scope of the URI as a resource of this server, even if it is a file.
    pub(crate) fn scope_of_server(&self, server: &str) -> Scope {
        Scope::of_uri(Action::Read, server, &self.readable)
    }
}

fn parse(text: &str, origin: Origin) -> Result<ResourceUri, UriError> {
    let is_blank = |c: char| c.is_control() || c.is_whitespace() && (origin == Origin::Client || c != ' ');
    if text.contains(is_blank) || text.starts_with(' ') || text.ends_with(' ') {
        return Err(UriError::Whitespace);
    }
    check(text)?;
    let Ok(url) = Url::parse(text) else {
        return match origin {
            _ if text.contains('\\') => Err(UriError::Backslash),
            // Only this spelling passes, so it is judged as plain text.
            Origin::Server => Ok(opaque(text.to_owned())),
            Origin::Client => Err(UriError::NotAbsolute),
        };
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UriError::UserInfo);
    }
    if url.fragment().is_some() && origin == Origin::Client {
        return Err(UriError::Fragment);
    }
    match url.scheme() {
        "file" => file(&url),
        _ => other(&url, origin),
    }
}

fn file(url: &Url) -> Result<ResourceUri, UriError> {
    if url.host().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(UriError::NotAPath);
    }
    let names = url.path().split('/').filter(|name| !name.is_empty());
    let names: Vec<String> =
        names.map(|name| decode_all(name).ok_or(UriError::NotUtf8)).collect::<Result<_, _>>()?;
    if names.iter().any(|name| name.contains('\\')) {
        return Err(UriError::Backslash);
    }
    Ok(of_names(names.iter().map(String::as_str)))
}

fn of_names<'a>(names: impl Iterator<Item = &'a str>) -> ResourceUri {
    let (mut text, mut path) = ("file://".to_owned(), String::new());
    for name in names {
        text.push('/');
        push_encoded(&mut text, name);
        path.push('/');
        path.push_str(name);
    }
    if path.is_empty() {
        text.push('/');
        path.push('/');
    }
    ResourceUri { readable: format!("file://{path}"), text, path: Some(path) }
}

fn other(url: &Url, origin: Origin) -> Result<ResourceUri, UriError> {
    if url.as_str().contains('\\') {
        return Err(UriError::Backslash);
    }
    let path = decode(url.path(), is_unreserved);
    let has_empty = path.contains("//") && origin == Origin::Client;
    if has_empty || path.split('/').any(|name| matches!(name, "." | "..")) {
        return Err(UriError::DotSegment);
    }
    let mut text = format!("{}{path}", &url[..Position::BeforePath]);
    if let Some(query) = url.query() {
        text.push('?');
        text.push_str(&decode(query, is_unreserved));
    }
    if let Some(fragment) = url.fragment() {
        text.push('#');
        text.push_str(fragment);
    }
    Ok(opaque(text))
}

/// Builds a URI that does not name a file.
fn opaque(text: String) -> ResourceUri {
    ResourceUri { readable: readable(&text), text, path: None }
}

/// Returns the text with readable names instead of escapes, unless they could be mistaken for
/// delimiters.
pub(super) fn readable(text: &str) -> String {
    let (before, query) = text.find(['?', '#']).map_or((text, ""), |at| text.split_at(at));
    let plain = decode(before, |byte| !matches!(byte, b'%' | b'?' | b'#' | b'/' | b'\\' | 0..=0x1f | 0x7f));
    let mut shown = match plain.contains("%25") {
        // A decoded percent sign could be mistaken for an escape.
        true => plain,
        false => decode_all(&plain).filter(|shown| !shown.contains(['?', '#', '%'])).unwrap_or(plain),
    };
    shown.push_str(query);
    shown
}
