//! Lists in which an administrator allows or denies servers by their exact command or address.
//! Wrapping changes the command of a server, so an allow-list would no longer match it, and a
//! deny-list would be evaded. Overt refuses to wrap in both cases, and wraps nothing while a list
//! can't be read, because its rules are unknown.
use std::io;
use std::path::{Path, PathBuf};

use super::json;
use super::node::{Node, Value};
use super::refusal::Refusal;
use super::toml;

/// The administrator's rules about the servers of a client.
#[derive(Debug, Default)]
pub struct Managed {
    /// The file that replaces every other configuration; `None` if there is no such file.
    exclusive: Option<String>,
    allowed: Vec<ListedRule>,
    denied: Vec<ListedRule>,
    /// The file that allows servers by their command or address; `None` if there is no such file.
    allows_by_command: Option<String>,
}

/// A rule and the file that contains it.
#[derive(Debug)]
struct ListedRule {
    rule: Rule,
    source: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Rule {
    Command(Vec<String>),
    Address(String),
    Name(String),
}

/// The folders in which an administrator puts lists.
#[derive(Debug, Clone)]
pub struct ManagedFolders {
    claude_code: Vec<PathBuf>,
    codex: Vec<PathBuf>,
}

impl ManagedFolders {
    /// Returns the folders of the system, and one more for every client. The additional folder adds
    /// lists and replaces none, so it can only make Overt refuse more.
    pub fn with(further: Option<&Path>) -> Self {
        let folders = |known: &[&str]| {
            known.iter().map(Path::new).chain(further).map(Path::to_owned).collect::<Vec<_>>()
        };
        Self {
            claude_code: folders(&["/etc/claude-code", "/Library/Application Support/ClaudeCode"]),
            codex: folders(&["/etc/codex"]),
        }
    }
}

impl Managed {
    /// Reads the lists for a client, by its word in the table. An error means that no server of the
    /// client may be wrapped.
    pub fn of_client(word: &str, folders: &ManagedFolders) -> Result<Self, Refusal> {
        match word {
            "claude-code" => Self::of_claude_code(&folders.claude_code),
            "codex" => Self::of_codex(&folders.codex),
            _ => Ok(Self::default()),
        }
    }

    fn of_claude_code(folders: &[PathBuf]) -> Result<Self, Refusal> {
        let mut managed = Self::default();
        for folder in folders {
            let exclusive = folder.join("managed-mcp.json");
            if is_there(&exclusive).map_err(|error| unreadable(&exclusive, &error))? {
                managed.exclusive = Some(exclusive.display().to_string());
            }
            let settings = folder.join("managed-settings.json");
            let Some(text) = read(&settings).map_err(|error| unreadable(&settings, &error))? else {
                continue;
            };
            let root = json::parse(&text).map_err(|error| unreadable(&settings, &error))?;
            if !root.is_object() {
                return Err(unreadable(&settings, &"it is not an object"));
            }
            managed.allowed.extend(rules(&root, "allowedMcpServers", &settings)?);
            managed.denied.extend(rules(&root, "deniedMcpServers", &settings)?);
        }
        let by_command = managed.allowed.iter().find(|listed| !matches!(listed.rule, Rule::Name(_)));
        managed.allows_by_command = by_command.map(|listed| listed.source.clone());
        Ok(managed)
    }

    fn of_codex(folders: &[PathBuf]) -> Result<Self, Refusal> {
        let mut managed = Self::default();
        for folder in folders {
            let path = folder.join("requirements.toml");
            let Some(text) = read(&path).map_err(|error| unreadable(&path, &error))? else { continue };
            let root = toml::parse(&text).map_err(|error| unreadable(&path, &error))?;
            // A table of servers is an allow-list by command or address.
            if root.get("mcp_servers").is_some() {
                managed.allows_by_command = Some(path.display().to_string());
            }
        }
        Ok(managed)
    }

    /// Returns why this server may not be wrapped, or `None`. `words` is its command, `url` its
    /// address.
    pub fn refusal(&self, name: &str, words: &[&str], url: Option<&str>) -> Option<Refusal> {
        if let Some(file) = &self.exclusive {
            return Some(Refusal::AllowedByCommand(file.clone()));
        }
        let matches = |listed: &&ListedRule| match &listed.rule {
            Rule::Command(command) => !words.is_empty() && command == words,
            Rule::Address(pattern) => url.is_some_and(|url| is_address(pattern, url)),
            Rule::Name(known) => known == name,
        };
        if let Some(denied) = self.denied.iter().find(matches) {
            return Some(Refusal::Denied(denied.source.clone()));
        }
        let by_name = |listed: &ListedRule| matches!(&listed.rule, Rule::Name(known) if known == name);
        let is_allowed_by_name = self.allowed.iter().any(by_name);
        let source = self.allows_by_command.as_ref().filter(|_| !is_allowed_by_name);
        source.map(|source| Refusal::AllowedByCommand(source.clone()))
    }
}

fn unreadable(path: &Path, why: &dyn ToString) -> Refusal {
    Refusal::UnreadableList { file: path.display().to_string(), why: why.to_string() }
}

/// The most bytes of a list. A larger file counts as unreadable, so nothing is wrapped.
const MOST_BYTES: u64 = 4 << 20;

/// Reads a managed list; `None` if the file does not exist.
fn read(path: &Path) -> io::Result<Option<String>> {
    let Some(meta) = present(std::fs::metadata(path))? else { return Ok(None) };
    if !meta.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if meta.len() > MOST_BYTES {
        return Err(io::Error::other(format!("it has more than {MOST_BYTES} bytes")));
    }
    present(std::fs::read_to_string(path))
}

fn is_there(path: &Path) -> io::Result<bool> {
    // A dangling symlink counts as present, because something is in that place.
    present(std::fs::symlink_metadata(path)).map(|meta| meta.is_some())
}

/// Returns `None` if the file or its folder does not exist. Any other error could hide a list.
fn present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the rules of a list. A rule that is not understood could apply to any server, so it makes
/// the list unreadable.
fn rules(root: &Node, name: &str, path: &Path) -> Result<Vec<ListedRule>, Refusal> {
    let Some(list) = root.get(name).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
    let Value::Array(entries) = &list.value else {
        return Err(unreadable(path, &format!("its `{name}` is not a list")));
    };
    let source = path.display().to_string();
    let listed = entries.iter().map(|entry| {
        let rule = rule(entry).ok_or_else(|| {
            let known = "`serverCommand`, `serverUrl` and `serverName`";
            unreadable(path, &format!("its `{name}` has an entry that is none of {known}"))
        })?;
        Ok(ListedRule { rule, source: source.clone() })
    });
    listed.collect()
}

fn rule(node: &Node) -> Option<Rule> {
    let strings = |name: &str| Some(node.get(name)?.strings()?.into_iter().map(str::to_owned).collect());
    let string = |name: &str| node.get(name).and_then(Node::string).map(str::to_owned);
    let command = strings("serverCommand").map(Rule::Command);
    let address = || string("serverUrl").map(Rule::Address);
    command.or_else(address).or_else(|| string("serverName").map(Rule::Name))
}

/// Returns whether an address matches a pattern in which `*` stands for any text.
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
        Managed::of_claude_code(&[folder.path().to_owned()]).unwrap()
    }

    /// Returns the refusal of every server if the administrator's folder has this file.
    fn unreadable_with(client: &str, name: &str, bytes: &[u8]) -> Option<String> {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join(name), bytes).unwrap();
        let folders = ManagedFolders {
            claude_code: vec![folder.path().to_owned()],
            codex: vec![folder.path().to_owned()],
        };
        Managed::of_client(client, &folders).err().map(|refusal| refusal.to_string())
    }

    #[test]
    fn a_list_that_is_not_understood_refuses_everything() {
        let settings = |text: &str| unreadable_with("claude-code", "managed-settings.json", text.as_bytes());
        for text in [
            "",
            "{",
            "[]",
            r#"{"deniedMcpServers":{"serverName":"a"}}"#,
            r#"{"deniedMcpServers":["a"]}"#,
            r#"{"deniedMcpServers":[{"serverCommand":"npx x"}]}"#,
            r#"{"allowedMcpServers":[{"serverHash":"1"}]}"#,
        ] {
            let why = settings(text).unwrap_or_else(|| panic!("{text} is read"));
            assert!(why.contains("managed-settings.json"), "{why}");
        }
        for text in ["{}", r#"{"deniedMcpServers":null,"other":[1]}"#, r#"{"allowedMcpServers":[]}"#] {
            assert_eq!(settings(text), None, "{text}");
        }
        assert!(unreadable_with("claude-code", "managed-settings.json", b"{\xff}").is_some(), "not UTF-8");
        assert!(unreadable_with("codex", "requirements.toml", b"[mcp_servers").is_some());
        assert_eq!(unreadable_with("codex", "requirements.toml", b"x = 1\n"), None);
        // The lists of one client do not apply to another.
        assert_eq!(unreadable_with("cursor", "managed-settings.json", b"{"), None);
        let large = vec![b' '; usize::try_from(MOST_BYTES).unwrap() + 1];
        assert!(unreadable_with("claude-code", "managed-settings.json", &large).is_some());
    }

    #[test]
    fn a_folder_in_the_place_of_a_list_refuses_everything() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir(folder.path().join("managed-settings.json")).unwrap();
        assert!(Managed::of_claude_code(&[folder.path().to_owned()]).is_err());
        // If the administrator has no folder, there is no list.
        assert!(Managed::of_claude_code(&[folder.path().join("absent")]).is_ok());
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
        let folders = [folder.path().to_owned()];
        assert!(Managed::of_claude_code(&folders).unwrap().refusal("a", &["npx"], None).is_some());
        assert!(Managed::of_codex(&folders).unwrap().refusal("a", &["npx"], None).is_some());
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
