//! Converts nodes to values. All scalars are strings; duplicate keys and uneven indentation are
//! rejected.
use std::collections::{HashSet, VecDeque};

use super::failure::{Failure, Mark, Result};
use super::parser::{Content, Node};
use super::unicode::quoted;

/// A value as the reference has it. Members keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Data {
    Text(String),
    /// The unquoted words `=` and `<<`, which have a type of their own that is not text.
    Special,
    List(Vec<Data>),
    Map(Vec<(String, Data)>),
}

/// Nodes whose construction is deferred until everything before them is done: the items of a
/// top-level list, and mappings that are merged at the top level.
type DeferredNodes = VecDeque<Node>;

/// Returns the value of the document. The order of construction matters, because the first error is
/// reported.
pub(super) fn construct(root: Node) -> Result<Data> {
    let mut waiting = DeferredNodes::from([root]);
    let mut first = None;
    while let Some(node) = waiting.pop_front() {
        let data = match node.content {
            Content::Scalar { text, plain } => scalar(text, plain),
            Content::Sequence(items) => {
                waiting.extend(items);
                Data::List(Vec::new())
            }
            Content::Mapping(members) => mapping(node.start, members, Some(&mut waiting))?,
        };
        first.get_or_insert(data);
    }
    Ok(first.unwrap_or(Data::List(Vec::new())))
}

fn value(node: Node) -> Result<Data> {
    match node.content {
        Content::Scalar { text, plain } => Ok(scalar(text, plain)),
        Content::Sequence(items) => items.into_iter().map(value).collect::<Result<_>>().map(Data::List),
        Content::Mapping(members) => mapping(node.start, members, None),
    }
}

fn scalar(text: String, plain: bool) -> Data {
    if plain && matches!(text.as_str(), "=" | "<<") { Data::Special } else { Data::Text(text) }
}

fn mapping(start: Mark, members: Vec<(Node, Node)>, waiting: Option<&mut DeferredNodes>) -> Result<Data> {
    let members = without_merges(start, members, waiting)?;
    let (mut values, mut seen) = (Vec::new(), HashSet::new());
    let (mut first_column, mut uneven) = (None, None);
    for (key, member) in members {
        let (key_start, key_end) = (key.start, key.end);
        let key = Key::of(key)?.map_err(|kind| match kind {
            BadKey::Map => Failure::within(MAPPING, Some(start), "found unhashable key", key_start),
            BadKey::Nested => Failure::Crash("TypeError"),
        })?;
        if let Content::Mapping(_) = member.content {
            let column = *first_column.get_or_insert(member.start.column);
            if column != member.start.column && uneven.is_none() {
                uneven = Some((member.start, member.end));
            }
        }
        let data = value(member)?;
        if !seen.insert(key.clone()) {
            let problem = format!("Duplicate key '{}' found", key.name());
            return Err(Failure::within("While parsing", Some(key_start), problem, key_end));
        }
        values.push((key, data));
    }
    if let Some((start, end)) = uneven {
        let problem = "Found mapping with indentation inconsistent with previous mapping";
        return Err(Failure::within("While parsing", Some(start), problem, end));
    }
    let named = values.into_iter().map(|(key, data)| match key {
        Key::Text(name) => Ok((name, data)),
        Key::Tuple(_) => Err(Failure::Crash("AssertionError")),
    });
    named.collect::<Result<_>>().map(Data::Map)
}

const MAPPING: &str = "while constructing a mapping";

/// Removes the merges. The reference constructs what is merged and then ignores it.
fn without_merges(
    start: Mark,
    members: Vec<(Node, Node)>,
    mut waiting: Option<&mut DeferredNodes>,
) -> Result<Vec<(Node, Node)>> {
    let mut own = Vec::new();
    for (key, member) in members {
        if !matches!(&key.content, Content::Scalar { text, plain: true } if text == "<<") {
            own.push((key, member));
            continue;
        }
        let merged = match member.content {
            Content::Mapping(_) => vec![member],
            Content::Sequence(items) => items,
            Content::Scalar { .. } => {
                let problem = "expected a mapping or list of mappings for merging, but found scalar";
                return Err(Failure::within(MAPPING, Some(start), problem, member.start));
            }
        };
        for node in merged {
            let kind = match (&node.content, &mut waiting) {
                (Content::Mapping(_), Some(waiting)) => {
                    waiting.push_back(node);
                    continue;
                }
                (Content::Mapping(_), None) => {
                    value(node)?;
                    continue;
                }
                (Content::Sequence(_), _) => "sequence",
                (Content::Scalar { .. }, _) => "scalar",
            };
            let problem = format!("expected a mapping for merging, but found {kind}");
            return Err(Failure::within(MAPPING, Some(start), problem, node.start));
        }
    }
    Ok(own)
}

/// A key: a text, or a list of texts, which makes the reference fail later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Text(String),
    Tuple(Vec<String>),
}

enum BadKey {
    Map,
    Nested,
}

impl Key {
    fn of(node: Node) -> Result<std::result::Result<Self, BadKey>> {
        // As a key, `=` is a text.
        if let Content::Scalar { text, .. } = node.content {
            return Ok(Ok(Self::Text(text)));
        }
        Ok(match value(node)? {
            Data::List(items) => {
                let texts = items.into_iter().map(|item| match item {
                    Data::Text(text) => Ok(text),
                    _ => Err(BadKey::Nested),
                });
                texts.collect::<std::result::Result<_, _>>().map(Self::Tuple)
            }
            _ => Err(BadKey::Map),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::Text(name) => name.clone(),
            Self::Tuple(items) => {
                let comma = if items.len() == 1 { "," } else { "" };
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                format!("({}{comma})", items.join(", "))
            }
        }
    }
}
