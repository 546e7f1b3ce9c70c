//! Lists in which an administrator allows or denies servers by their exact command or address. A wrapped server has another
//! command: an allow-list would no longer find it, and a deny-list would be evaded. Both are refused.
use std::path::{Path, PathBuf};

use super::json;
use super::node::Node;
use super::refusal::Refusal;
use super::toml;

/// What an administrator says about the servers of a client.
#[derive(Debug, Default)]
pub(crate) struct Managed {
    /// The file that replaces every other one, if there is one.
    exclusive: Option<String>,
    allowed: Vec<Rule>,
    denied: Vec<Rule>,
    /// Servers are allowed by their command or address.
    allows_by_command: bool,
    /// Where the lists are.
    source: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Rule {
    Command(Vec<String>),
    Address(String),
    Name(String),
}

/// A file of an administrator.
#[derive(Debug, Clone)]
pub(crate) struct ManagedFiles {
    folders: Vec<PathBuf>,
}

impl ManagedFiles {
    /// Where administrators put the files of Claude Code.
    pub(crate) fn of_claude_code() -> Self {
        let folders = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];
        Self { folders: folders.map(PathBuf::from).to_vec() }
    }

    /// Where administrators put the files of Codex.
    pub(crate) fn of_codex() -> Self {
        Self { folders: vec![PathBuf::from("/etc/codex")] }
    }
}

impl Managed {
    /// The lists for a client, by its word in the table.
    pub(crate) fn of_client(word: &str) -> Self {
        match word {
            "claude-code" => Self::of_claude_code(&ManagedFiles::of_claude_code()),
            "codex" => Self::of_codex(&ManagedFiles::of_codex()),
            _ => Self::default(),
        }
    }

    fn of_claude_code(files: &ManagedFiles) -> Self {
        let mut managed = Self::default();
        for folder in &files.folders {
            let exclusive = folder.join("managed-mcp.json");
            if exclusive.exists() {
                managed.exclusive = Some(exclusive.display().to_string());
            }
            let settings = folder.join("managed-settings.json");
            let Some(root) = read(&settings).and_then(|text| json::parse(&text).ok()) else { continue };
            managed.source = settings.display().to_string();
            managed.allowed.extend(rules(root.get("allowedMcpServers")));
            managed.denied.extend(rules(root.get("deniedMcpServers")));
        }
        managed.allows_by_command = managed.allowed.iter().any(|rule| !matches!(rule, Rule::Name(_)));
        managed
    }

    fn of_codex(files: &ManagedFiles) -> Self {
        let mut managed = Self::default();
        for folder in &files.folders {
            let path = folder.join("requirements.toml");
            let Some(root) = read(&path).and_then(|text| toml::parse(&text).ok()) else { continue };
            // A table of servers is an allow-list by command or address.
            managed.allows_by_command |= root.get("mcp_servers").is_some();
            managed.source = path.display().to_string();
        }
        managed
    }

    /// Why this server may not be wrapped, if so. `words` are its command, or `url` its address.
    pub(crate) fn refusal(&self, name: &str, words: &[&str], url: Option<&str>) -> Option<Refusal> {
        if let Some(file) = &self.exclusive {
            return Some(Refusal::AllowedByCommand(file.clone()));
        }
        let matches = |rule: &Rule| match rule {
            Rule::Command(command) => !words.is_empty() && command == words,
            Rule::Address(pattern) => url.is_some_and(|url| is_address(pattern, url)),
            Rule::Name(known) => known == name,
        };
        if self.denied.iter().any(matches) {
            return Some(Refusal::Denied(self.source.clone()));
        }
        let by_name = |rule: &Rule| matches!(rule, Rule::Name(known) if known == name);
        let is_allowed_by_name = self.allowed.iter().any(by_name);
        (self.allows_by_command && !is_allowed_by_name)
            .then(|| Refusal::AllowedByCommand(self.source.clone()))
    }
}

/// No list is larger.
const MOST_BYTES: u64 = 4 << 20;

fn read(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_BYTES);
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

fn rules(list: Option<&Node>) -> Vec<Rule> {
    let rule = |node: &Node| {
        let strings = |name: &str| Some(node.get(name)?.strings()?.into_iter().map(str::to_owned).collect());
        let string = |name: &str| node.get(name).and_then(Node::string).map(str::to_owned);
        let command = strings("serverCommand").map(Rule::Command);
        let address = || string("serverUrl").map(Rule::Address);
        command.or_else(address).or_else(|| string("serverName").map(Rule::Name))
    };
    list.map(Node::elements).unwrap_or_default().iter().filter_map(rule).collect()
}

/// Whether an address fits a pattern in which `*` stands for anything.
fn is_address(pattern: &str, url: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| url.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        Some(part) => url.ends_with(part),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn managed(settings: &str) -> Managed {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("managed-settings.json"), settings).unwrap();
        Managed::of_claude_code(&ManagedFiles { folders: vec![folder.path().to_owned()] })
    }

    #[test]
    fn lists_by_command_are_neither_broken_nor_evaded() {
        let none = Managed::default();
        assert_eq!(none.refusal("a", &["npx"], None), None);
        let denies = managed(
            r#"{"deniedMcpServers":[{"serverCommand":["npx","x"]},{"serverUrl":"https://*.bad.com/*"}]}"#,
        );
        assert!(matches!(denies.refusal("a", &["npx", "x"], None), Some(Refusal::Denied(_))));
        assert!(matches!(denies.refusal("a", &[], Some("https://a.bad.com/mcp")), Some(Refusal::Denied(_))));
        assert_eq!(denies.refusal("a", &["npx", "y"], None), None);
        let allows = managed(r#"{"allowedMcpServers":[{"serverCommand":["npx","x"]},{"serverName":"b"}]}"#);
        assert!(matches!(allows.refusal("a", &["npx", "x"], None), Some(Refusal::AllowedByCommand(_))));
        assert_eq!(allows.refusal("b", &["npx", "x"], None), None, "its name allows it, wrapped or not");
        let names = managed(r#"{"allowedMcpServers":[{"serverName":"b"}]}"#);
        assert_eq!(names.refusal("a", &["npx"], None), None, "names stay");
    }

    #[test]
    fn files_of_an_administrator_stay() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("managed-mcp.json"), "{}").unwrap();
        fs::write(folder.path().join("requirements.toml"), "[mcp_servers.a.identity]\ncommand = 'npx'\n")
            .unwrap();
        let files = ManagedFiles { folders: vec![folder.path().to_owned()] };
        assert!(Managed::of_claude_code(&files).refusal("a", &["npx"], None).is_some());
        assert!(Managed::of_codex(&files).refusal("a", &["npx"], None).is_some());
    }

    #[test]
    fn patterns_match_whole_addresses() {
        assert!(
            is_address("https://x/mcp", "https://x/mcp") && !is_address("https://x/mcp", "https://x/mcp2")
        );
        assert!(
            is_address("https://*.x.com/*", "https://a.x.com/m") && !is_address("https://x*", "http://x")
        );
        assert!(is_address("*", "anything"));
    }
}
