//! A file of a client and the servers in it.
use super::json::{self, JsonError};
use super::node::Node;
use super::toml::{self, TomlError};
use super::yaml::{self, YamlError};
use crate::{Servers, Syntax};

/// The text of a file, parsed for positions.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    syntax: Syntax,
    servers: Servers,
    root: Node,
    entries: Vec<Entry>,
}

/// A server in a file.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: EntryId,
    pub node: Node,
}

/// Identifies a server in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId {
    /// The member names that lead to the table of servers.
    pub table: Vec<String>,
    pub name: String,
    /// The number of this entry among those with the same name, from 0.
    pub occurrence: usize,
}

/// Why the servers of a file can't be found.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("it is not JSON")]
    Json(#[source] JsonError),
    #[error("it is not TOML")]
    Toml(#[source] TomlError),
    #[error("it is not YAML that Overt can change")]
    Yaml(#[source] YamlError),
}

/// The paths at which known clients keep their servers.
const ANYWHERE: [&[&str]; 6] =
    [&["mcpServers"], &["servers"], &["context_servers"], &["mcp", "servers"], &["mcp"], &["mcp_servers"]];
/// The most servers that are read from one file.
const MOST_ENTRIES: usize = 1_000;

impl Document {
    pub fn parse(text: String, syntax: Syntax, servers: Servers) -> Result<Self, DocumentError> {
        let root = match syntax {
            Syntax::Json => json::parse(&text).map_err(DocumentError::Json)?,
            Syntax::Toml => toml::parse(&text).map_err(DocumentError::Toml)?,
            Syntax::Yaml => yaml::parse(&text).map_err(DocumentError::Yaml)?,
        };
        let entries = entries(&root, servers);
        Ok(Self { text, syntax, servers, root, entries })
    }

    /// Parses another text with the same format and the same place of the servers.
    pub fn with_text(&self, text: String) -> Result<Self, DocumentError> {
        Self::parse(text, self.syntax, self.servers)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    pub fn root(&self) -> &Node {
        &self.root
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, id: &EntryId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == *id)
    }

    /// Returns the line ending of the file.
    pub fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Quotes a string in the format of the file.
    pub fn quote(&self, text: &str) -> String {
        quote(self.syntax, text)
    }
}

/// Quotes a string for a format. A JSON string without escapes for `/` is also a valid TOML string,
/// except for one character.
fn quote(syntax: Syntax, text: &str) -> String {
    let quoted = overt_wire::json::quote(text);
    match syntax {
        // TOML does not allow an unescaped DEL in strings.
        Syntax::Toml => quoted.replace('\u{7f}', "\\u007f"),
        Syntax::Json | Syntax::Yaml => quoted,
    }
}

fn entries(root: &Node, servers: Servers) -> Vec<Entry> {
    let mut found = Vec::new();
    match servers {
        Servers::Member(name) => collect(root, &[name], &mut found),
        Servers::Projects => {
            collect(root, &["mcpServers"], &mut found);
            collect_projects(root, &mut found);
        }
        Servers::Anywhere => {
            if let Some(way) = ANYWHERE.iter().find(|way| at(root, way).is_some_and(Node::is_object)) {
                collect(root, way, &mut found);
            }
            // A copy of `~/.claude.json` also has servers in each project.
            collect_projects(root, &mut found);
        }
    }
    found
}

fn collect_projects(root: &Node, found: &mut Vec<Entry>) {
    for project in root.get("projects").map(Node::members).unwrap_or_default() {
        collect(root, &["projects", &project.name, "mcpServers"], found);
    }
}

fn at<'a>(root: &'a Node, way: &[&str]) -> Option<&'a Node> {
    way.iter().try_fold(root, |node, name| node.get(name))
}

fn collect(root: &Node, way: &[&str], found: &mut Vec<Entry>) {
    let Some(table) = at(root, way) else { return };
    // Continue keeps its servers in a list, in which each has its name.
    let named: Vec<(&str, &Node)> = match table.is_object() {
        true => table.members().iter().map(|member| (member.name.as_str(), &member.node)).collect(),
        false => table.elements().iter().map(|item| (item.label(), item)).collect(),
    };
    for (index, (name, node)) in named.iter().enumerate() {
        if found.len() >= MOST_ENTRIES {
            return;
        }
        let occurrence = named[..index].iter().filter(|(other, _)| other == name).count();
        let table = way.iter().map(|name| (*name).to_owned()).collect();
        let id = EntryId { table, name: (*name).to_owned(), occurrence };
        found.push(Entry { id, node: (*node).clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, servers: Servers) -> Vec<String> {
        let document = Document::parse(text.to_owned(), Syntax::Json, servers).unwrap();
        let name =
            |entry: &Entry| format!("{}/{}#{}", entry.id.table.join("/"), entry.id.name, entry.id.occurrence);
        document.entries().iter().map(name).collect()
    }

    #[test]
    fn servers_are_found_where_clients_have_them() {
        let text = r#"{"mcpServers":{"a":{},"a":{}},"projects":{"/x":{"mcpServers":{"b":{}}},"/y":{}}}"#;
        assert_eq!(
            names(text, Servers::Projects),
            ["mcpServers/a#0", "mcpServers/a#1", "projects//x/mcpServers/b#0"]
        );
        assert_eq!(names(text, Servers::Anywhere), names(text, Servers::Projects));
        assert_eq!(
            names(r#"{"projects":{"/x":{"mcpServers":{"b":{}}}}}"#, Servers::Anywhere),
            ["projects//x/mcpServers/b#0"]
        );
        assert_eq!(names(r#"{"mcp":{"servers":{"c":{}}}}"#, Servers::Anywhere), ["mcp/servers/c#0"]);
        assert!(names("[]", Servers::Anywhere).is_empty());
    }
}
