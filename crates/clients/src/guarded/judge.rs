//! What a change of a guarded file means: some members are refused, everything else is asked about.
use std::fmt;

use super::names::{PathNames, matches_name};
use super::table::{ROWS, Rule};
use crate::files::{Document, Node};
use crate::{ALL, ClientFacts, Servers, Syntax};

/// A guarded file at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedFile {
    /// What the file is, such as `a git hook`.
    pub what: String,
    rule: RuleOf,
}

/// What a file holds before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// There is no file.
    Absent,
    Bytes(&'a [u8]),
    /// Something that can't be looked at: a large file, a link, a folder.
    Unknown,
}

/// What a change of a guarded file needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// A person is asked each time.
    Ask,
    /// The change is refused.
    Refuse(RefusedBecause),
}

/// Why a change is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusedBecause {
    /// Any change of this file is.
    Closed,
    /// This member would change.
    Member(String),
    /// The file before or after the change can't be read, so its members are not known.
    Unreadable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RuleOf {
    Row(Rule),
    /// The servers of a client.
    Servers(Syntax, Servers),
}

impl GuardedFile {
    /// Returns what the table says about a path, in the order of the table; empty for other files.
    pub fn at(path: &PathNames) -> Vec<Self> {
        let rows = ROWS.iter().filter(|row| path.matches(row.path));
        let rows = rows.map(|row| Self { what: row.what.to_owned(), rule: RuleOf::Row(row.rule) });
        let mut found: Vec<Self> = rows.collect();
        for client in ALL {
            for file in client.files.iter().filter(|file| path.matches(file.path)) {
                let rule = RuleOf::Servers(file.syntax, file.servers);
                // Several clients read the same file.
                if found.iter().all(|known| known.rule != rule) {
                    found.push(Self { what: format!("the configuration of {}", client.name), rule });
                }
            }
        }
        found
    }

    /// Returns what can be reached through a link at this path; `None` if nothing of the table can.
    pub fn beneath_link(path: &PathNames) -> Option<Self> {
        let row = ROWS.iter().find(|row| path.may_lead_to(row.path));
        let row = row.map(|row| format!("a link that can lead to {}", row.what));
        let client = || {
            let leads = |client: &&ClientFacts| client.files.iter().any(|file| path.may_lead_to(file.path));
            let found = ALL.iter().find(leads)?;
            Some(format!("a link that can lead to the configuration of {}", found.name))
        };
        Some(Self { what: row.or_else(client)?, rule: RuleOf::Row(Rule::Asks) })
    }

    /// Returns whether the rule is about folders and links too, not only about a file's members.
    pub fn is_for_folders(&self) -> bool {
        matches!(self.rule, RuleOf::Row(Rule::Asks | Rule::Closed))
    }

    pub fn judge(&self, before: Content<'_>, after: Content<'_>) -> Judgement {
        let one: [&[&str]; 1];
        let (syntax, members): (Syntax, &[&[&str]]) = match &self.rule {
            RuleOf::Row(Rule::Asks) => return Judgement::Ask,
            RuleOf::Row(Rule::Closed) => return Judgement::Refuse(RefusedBecause::Closed),
            RuleOf::Row(Rule::Members(syntax, members)) => (*syntax, members),
            RuleOf::Servers(syntax, Servers::Projects) => {
                (*syntax, &[&["mcpservers"], &["projects", "*", "mcpservers"]])
            }
            RuleOf::Servers(syntax, Servers::Anywhere) => (*syntax, &[&["*"]]),
            RuleOf::Servers(syntax, Servers::Member(name)) => {
                one = [std::slice::from_ref(name)];
                (*syntax, &one)
            }
        };
        let (Some(before), Some(after)) = (read(before, syntax), read(after, syntax)) else {
            return Judgement::Refuse(RefusedBecause::Unreadable);
        };
        match changed(members, before.as_ref(), after.as_ref()) {
            Some(member) => Judgement::Refuse(RefusedBecause::Member(member)),
            None => Judgement::Ask,
        }
    }
}

impl fmt::Display for RefusedBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("it decides what runs without asking"),
            Self::Member(name) => write!(f, "`{name}` in it starts servers or permits tools"),
            Self::Unreadable => {
                f.write_str("Overt can't read all of it, and it may start servers or permit tools")
            }
        }
    }
}

/// Returns the file, with `None` inside for one that is absent or empty. Returns `None` for a file
/// that can't be read.
fn read(content: Content<'_>, syntax: Syntax) -> Option<Option<Document>> {
    let text = match content {
        Content::Absent => return Some(None),
        Content::Unknown => return None,
        Content::Bytes(bytes) => std::str::from_utf8(bytes).ok()?,
    };
    if text.trim().is_empty() {
        return Some(None);
    }
    Document::parse(text.to_owned(), syntax, Servers::Anywhere).ok().map(Some)
}

/// Returns the outermost name of the first member that differs.
fn changed(members: &[&[&str]], before: Option<&Document>, after: Option<&Document>) -> Option<String> {
    let found = |file: Option<&Document>, member: &[&str]| -> Vec<(String, Node)> {
        let mut found = Vec::new();
        if let Some(file) = file {
            collect(file.root(), member, &mut String::new(), &mut found);
        }
        found
    };
    for member in members {
        let (before, after) = (found(before, member), found(after, member));
        let is_same = before.len() == after.len()
            && before.iter().zip(&after).all(|((path, node), (other_path, other))| {
                path == other_path && node.is_same(other, &mut Vec::new(), &|_| false)
            });
        if !is_same {
            let (path, _) = after.first().or(before.first())?;
            return Some(path.clone());
        }
    }
    // What stands elsewhere in the file can be part of these members.
    let has_alias = |file: Option<&Document>| file.is_some_and(|file| has_alias(file.root()));
    (has_alias(before) || has_alias(after)).then(|| "*".to_owned())
}

/// Collects the members with these names, wherever a name occurs several times too.
fn collect(node: &Node, names: &[&str], path: &mut String, found: &mut Vec<(String, Node)>) {
    let Some((name, inner)) = names.split_first() else {
        found.push((path.clone(), node.clone()));
        return;
    };
    for member in node.members() {
        if matches_name(name, &member.name.to_lowercase()) {
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(&member.name);
            collect(&member.node, inner, path, found);
            path.truncate(length);
        }
    }
}

/// Whether a value of a YAML file stands elsewhere in it. A plain value can't begin with `*`.
fn has_alias(node: &Node) -> bool {
    node.scalar().is_some_and(|text| text.starts_with('*'))
        || node.members().iter().any(|member| has_alias(&member.node))
        || node.elements().iter().any(has_alias)
}
