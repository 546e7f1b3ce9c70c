//! A scope as one canonical value. Comparing, covering and sorting use its components, never
//! prefixes of text.
use std::fmt;

use super::action::Action;
use super::error::ScopeError;
use super::grammar::{self, END, ROOT};
use crate::word::StringEnum;

/// A permission: an action, and optionally a kind of thing and a particular thing.
///
/// Stored as its components, separated by NULs, which no component can contain: a scope covers
/// another exactly if its components are the first ones of the other, and a scope sorts before all
/// that it covers. The leading `/` of an absolute path is its own component.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Box<str>);

impl Scope {
    /// The most bytes of a scope.
    pub const MOST_BYTES: usize = grammar::MOST_BYTES;
    /// The most components of a scope.
    pub const MOST_COMPONENTS: usize = grammar::MOST_COMPONENTS;

    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        grammar::components(text).map(|components| Self(components.into()))
    }

    /// Returns the scope of a whole action: `read`.
    pub fn of(action: Action) -> Self {
        Self(action.as_str().into())
    }

    /// Returns the scope that a tool without declared scopes needs: its server is the kind and its
    /// name the detail. A server name is adapted to the grammar, and a tool name that can't be a
    /// detail needs the wider scope.
    pub fn of_tool(action: Action, server: &str, tool: &str) -> Self {
        let server = Self::of_server(action, server);
        let mut key = server.0.to_string();
        match grammar::push_detail(&mut key, tool, 0) {
            Ok(()) => Self(key.into()),
            Err(_) => server,
        }
    }

    /// Returns the scope of everything of this server.
    pub fn of_server(action: Action, server: &str) -> Self {
        Self(format!("{action}{END}{}", grammar::kind_of(server)).into())
    }

    /// Returns the scope of an absolute path without `.` and `..`: `read:file:/a/b`. A name that no
    /// scope can contain, such as one with `*`, needs the wider scope of its folder.
    pub fn of_path(action: Action, kind: &str, path: &str) -> Self {
        // Exact for a path without empty names, so that the text is not copied once more.
        let length = action.as_str().len() + kind.len() + 2 * END.len_utf8() + ROOT.len() + path.len();
        let mut key = String::with_capacity(length);
        key.push_str(action.as_str());
        key.push(END);
        key.push_str(kind);
        key.push(END);
        key.push_str(ROOT);
        let names = path.split('/').filter(|name| !name.is_empty());
        for (depth, name) in names.enumerate() {
            let is_open = name.contains(|c: char| matches!(c, '*' | '\\') || c.is_control())
                || key.len() + name.len() + 1 > Self::MOST_BYTES
                || depth + 4 > Self::MOST_COMPONENTS;
            if is_open {
                break;
            }
            key.push(END);
            key.push_str(name);
        }
        Self(key.into())
    }

    /// Returns the scope of a resource of a server: `read:SERVER:demo://host/path`. The scheme and
    /// the host are one component and each name of the path is another, so a scope covers the
    /// resources beneath it. A query is its own component.
    pub fn of_uri(action: Action, server: &str, uri: &str) -> Self {
        let mut key = Self::of_server(action, server).0.into_string();
        let (place, query) = uri.find('?').map_or((uri, ""), |at| uri.split_at(at));
        let end = grammar::authority_end(place).unwrap_or(0);
        let (authority, path) = place.split_at(end);
        let query = query.replace('/', "%2F");
        let names = path.split('/').chain([query.as_str()]).filter(|name| !name.is_empty());
        for (depth, name) in
            Some(authority).filter(|name| !name.is_empty()).into_iter().chain(names).enumerate()
        {
            let is_open = matches!(name, "." | "..")
                || name.contains(|c: char| c == '*' || c.is_control())
                || key.len() + name.len() + 1 > Self::MOST_BYTES
                || depth + 3 > Self::MOST_COMPONENTS;
            if is_open {
                break;
            }
            key.push(END);
            key.push_str(name);
        }
        Self(key.into())
    }

    pub fn action(&self) -> Action {
        let word = self.components().next().unwrap_or_default();
        Action::parse(word).unwrap_or(Action::Execute)
    }

    pub fn kind(&self) -> Option<&str> {
        self.components().nth(1)
    }

    /// Returns the absolute path, if the scope has one.
    pub fn path(&self) -> Option<String> {
        let mut components = self.components().skip(2);
        (components.next() == Some(ROOT))
            .then(|| format!("{ROOT}{}", components.collect::<Vec<_>>().join("/")))
    }

    /// Returns this scope with the action `read`.
    #[must_use]
    pub fn reading(&self) -> Self {
        let rest = self.0.find(END).map_or("", |end| &self.0[end..]);
        Self(format!("{}{rest}", Action::Read).into())
    }

    /// Returns whether this scope allows everything that the other allows.
    pub fn covers(&self, other: &Self) -> bool {
        match other.0.strip_prefix(&*self.0) {
            Some(rest) => rest.is_empty() || rest.starts_with(END),
            None => false,
        }
    }

    /// Returns whether one of the two covers the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    /// Returns what both allow: the narrower of the two, or nothing.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        if self.covers(other) { Some(other.clone()) } else { other.covers(self).then(|| self.clone()) }
    }

    /// Returns the next wider scope, such as the directory of a file, which a person can be offered
    /// as the second choice. `None` if that would be a whole action or the root of all paths.
    pub fn parent(&self) -> Option<Self> {
        let end = self.0.rfind(END)?;
        let parent = Self(self.0[..end].into());
        (!parent.is_sweeping()).then_some(parent)
    }

    /// Returns whether the scope is too wide for an ordinary grant (SCP-13): a whole action, or the
    /// root of all paths.
    pub fn is_sweeping(&self) -> bool {
        let mut components = self.components().skip(1);
        let first = (components.next(), components.next(), components.next());
        matches!(first, (None, ..) | (Some(_), Some(ROOT), None))
    }

    /// Returns whether a grant of this scope should be temporary unless a person insists (SCP-13):
    /// a sweeping scope, or a whole kind.
    pub fn is_too_wide_to_last(&self) -> bool {
        self.is_sweeping() || self.components().nth(2).is_none()
    }

    /// Returns the text that [`fmt::Display`] writes, in less time.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.0.len());
        // Writing to a string never fails.
        let _ = self.write_to(&mut text);
        text
    }

    fn write_to(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut before = "";
        for (index, component) in self.components().enumerate() {
            let between = match index {
                0 => "",
                1 | 2 => ":",
                _ if before == ROOT => "",
                _ => "/",
            };
            out.write_str(between)?;
            out.write_str(component)?;
            before = component;
        }
        Ok(())
    }

    pub(super) fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split(END)
    }

    pub(super) fn key(&self) -> &str {
        &self.0
    }

    /// Builds a scope from a key. The caller has checked the grammar.
    pub(super) fn from_key(key: impl Into<Box<str>>) -> Self {
        Self(key.into())
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({self})")
    }
}

impl serde::Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::str::FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        Self::parse(text)
    }
}
