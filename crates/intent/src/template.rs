//! The parts of a template.
use overt_secrets::is_secret_name;

/// A parsed text such as `Search for {pattern} [in {root}]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    pub(super) nodes: Vec<Node>,
    /// The oddities of the text, for the linter.
    pub(super) oddities: Vec<Oddity>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    Key(Key),
    /// Omitted if the call has none of its values; repeated for each element if one is a list.
    Group(Vec<Self>),
}

/// The name of a value: `{a.b}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// The text between the braces, trimmed.
    pub(super) text: String,
    /// The segments, without empty ones.
    pub(super) segments: Vec<String>,
    /// Whether a segment means a credential.
    pub(super) is_secret: bool,
}

/// Something that no careful author writes. It is accepted nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddity {
    BraceOpen,
    BracketOpen,
    BracketStray,
    EmptyKey,
    TooDeep,
    TooLong,
}

impl Template {
    /// Returns the names of the values as written, including those in groups.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let mut waiting: Vec<&Node> = self.nodes.iter().rev().collect();
        std::iter::from_fn(move || {
            loop {
                match waiting.pop()? {
                    Node::Text(_) => {}
                    Node::Key(key) => return Some(key.text.as_str()),
                    Node::Group(inside) => waiting.extend(inside.iter().rev()),
                }
            }
        })
    }
}

impl Key {
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim();
        let segments: Vec<String> =
            text.split('.').filter(|segment| !segment.is_empty()).map(String::from).collect();
        let is_secret = segments.iter().any(|segment| is_secret_name(segment));
        Self { text: text.to_owned(), segments, is_secret }
    }
}

/// Returns the keys that belong to these nodes directly, not to a group among them.
pub(super) fn own_keys(nodes: &[Node]) -> impl Iterator<Item = &Key> {
    nodes.iter().filter_map(|node| match node {
        Node::Key(key) => Some(key),
        Node::Text(_) | Node::Group(_) => None,
    })
}
