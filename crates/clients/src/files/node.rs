//! A parsed file as a tree in which each value has its byte range.
use std::ops::Range;

/// A value and its byte range.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub range: Range<usize>,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Members in the order of the file. A name can occur several times.
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    /// A number, a boolean, a date or null, as written in the file.
    Scalar(String),
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub name: String,
    /// The range of the name as written, including its quotes.
    pub name_range: Range<usize>,
    pub node: Node,
}

impl Node {
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// Returns the member with this name. If a name occurs several times, the last one counts, as
    /// in every client.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members().iter().rev().find(|member| member.name == name)
    }

    pub fn get(&self, name: &str) -> Option<&Node> {
        self.member(name).map(|member| &member.node)
    }

    /// Returns the `name` of an element of a list, or an empty string.
    pub fn label(&self) -> &str {
        self.get("name").and_then(Self::string).unwrap_or_default()
    }

    pub fn string(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a number, a boolean, a date or null as written.
    pub fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(text) if text == "null")
    }

    pub fn is_true(&self) -> bool {
        matches!(&self.value, Value::Scalar(text) if text == "true")
    }

    /// Returns the elements if all of them are strings.
    pub fn strings(&self) -> Option<Vec<&str>> {
        match &self.value {
            Value::Array(items) => items.iter().map(Node::string).collect(),
            _ => None,
        }
    }

    pub fn elements(&self) -> &[Self] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns whether both have the same values in the same order, regardless of their positions.
    /// Members for which `skip` returns true are ignored; it gets the names that lead to the
    /// member.
    pub fn is_same<'a>(
        &'a self,
        other: &'a Self,
        path: &mut Vec<&'a str>,
        skip: &dyn Fn(&[&str]) -> bool,
    ) -> bool {
        match (&self.value, &other.value) {
            (Value::Object(ours), Value::Object(theirs)) => {
                let (ours, theirs) = (kept(ours, path, skip), kept(theirs, path, skip));
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(one, other)| {
                        path.push(&one.name);
                        let same = one.name == other.name && one.node.is_same(&other.node, path, skip);
                        path.pop();
                        same
                    })
            }
            (Value::Array(ours), Value::Array(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(one, other)| {
                        path.push(one.label());
                        let same = one.is_same(other, path, skip);
                        path.pop();
                        same
                    })
            }
            (one, other) => one == other,
        }
    }
}

/// Returns the members that are not skipped.
fn kept<'a>(
    members: &'a [Member],
    path: &mut Vec<&'a str>,
    skip: &dyn Fn(&[&str]) -> bool,
) -> Vec<&'a Member> {
    let mut kept = Vec::with_capacity(members.len());
    for member in members {
        path.push(&member.name);
        if !skip(path) {
            kept.push(member);
        }
        path.pop();
    }
    kept
}
