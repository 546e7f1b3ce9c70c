//! The identity of a server: what distinguishes it from others and stays the same between runs. It
//! contains no secrets.
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use overt_transport::client::{Command, Target};
use overt_wire::json::{Array, Json, JsonBuf, Object, quote};
use overt_wire::text::Untrusted;

use super::digest::Digest;

/// Identifies a server by how it is started or reached. For a command: the program that was found,
/// its arguments, its configured folder if any, and the names of the configured variables.
/// Otherwise: its address without user, password and query.
///
/// The meaning of a command also depends on the directory in which it is started, so pins are for a
/// server in its directory.
#[derive(Clone)]
pub struct Identity {
    json: JsonBuf,
    digest: Digest,
    /// Where a command is started. `None` for an address.
    directory: Option<String>,
    /// The digest of the server with its directory.
    placed: Digest,
    /// The file name stem that version 1 used for this server.
    earlier: Option<String>,
    /// The server's name in scopes and grants, if known. It does not affect equality.
    name: Option<String>,
}

impl Identity {
    /// The server behind a target. It is started in `directory`, unless the target has its own
    /// directory.
    pub fn of(target: &Target, directory: Option<&Path>) -> Self {
        match target {
            Target::Command(command) => Self::of_command(command, directory),
            Target::Http(http) => Self::url(&http.url),
            Target::Streams(connector) => Self::command(&[connector.name().to_owned()], None),
        }
    }

    fn of_command(command: &Command, directory: Option<&Path>) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let configured = command.cwd.as_deref().map(|cwd| {
            let whole = directory.map_or_else(|| cwd.to_owned(), |directory| directory.join(cwd));
            text(&whole.canonicalize().unwrap_or(whole))
        });
        let program = command.found.as_deref().map_or(&*command.program, Path::as_os_str);
        let program = program.to_string_lossy().into_owned();
        let arguments = command.args.iter().map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = std::iter::once(program).chain(arguments.clone()).collect();
        let names: Vec<String> =
            command.env.configured().map(|name| name.to_string_lossy().into_owned()).collect();
        let started_in = configured.clone().or_else(|| directory.map(text));
        // Version 1 used the words as they were typed.
        let typed = command.program.to_string_lossy().into_owned();
        let typed: Vec<String> = std::iter::once(typed).chain(arguments).collect();
        let cwd = command.cwd.as_deref().map(text);
        let earlier = stem(Digest::of(command_json(&typed, cwd.as_deref(), &[]).as_json()));
        let json = command_json(&words, configured.as_deref(), &names);
        Self { earlier: Some(earlier), ..Self::new(json, started_in) }
    }

    pub fn command(words: &[String], directory: Option<&str>) -> Self {
        Self::new(command_json(words, None, &[]), directory.map(str::to_owned))
    }

    pub fn url(url: &str) -> Self {
        Self::new(Object::new().string("url", &plain_url(url)).finish(), None)
    }

    /// Reads what [`Identity::json`] and [`Identity::directory`] return.
    pub(super) fn read(json: Json<'_>, directory: Option<&str>) -> Option<Self> {
        if let Some(url) = json.get("url").string() {
            return Some(Self::url(&url));
        }
        let words = strings(json, "command")?;
        let cwd = json.get("cwd").string();
        let names = strings(json, "env").unwrap_or_default();
        let json = command_json(&words, cwd.as_deref(), &names);
        (!words.is_empty()).then(|| Self::new(json, directory.map(str::to_owned)))
    }

    fn new(json: JsonBuf, directory: Option<String>) -> Self {
        let digest = Digest::of(json.as_json());
        let placed = match &directory {
            Some(directory) => {
                let placed = Object::new().json("server", json.as_json()).string("directory", directory);
                Digest::of(placed.finish().as_json())
            }
            None => digest,
        };
        Self { json, digest, directory, placed, earlier: None, name: None }
    }

    /// Adds the server's name in scopes and grants.
    #[must_use]
    pub fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns `{"command":[…]}` or `{"url":…}`.
    pub fn json(&self) -> Json<'_> {
        self.json.as_json()
    }

    /// Returns where a command is started. `None` for an address.
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// Returns the stem of the file name. The stems of the same server in different directories
    /// differ at the beginning, and have the same end.
    pub(super) fn file_stem(&self) -> String {
        match self.directory {
            Some(_) => self.placed.to_string()[..STEM - SERVER_PART].to_owned() + &self.server_part(),
            None => stem(self.digest),
        }
    }

    /// Returns the common end of the stems for all directories of the server.
    pub(super) fn server_part(&self) -> String {
        self.digest.to_string()[..SERVER_PART].to_owned()
    }

    /// Returns the stem that version 1 used, if it differs.
    pub(super) fn earlier_stem(&self) -> Option<&str> {
        self.earlier.as_deref().filter(|stem| *stem != self.file_stem())
    }

    /// Returns the short name of the server in its directory, as used by `overt pins`.
    pub fn id(&self) -> String {
        self.placed.to_string()[..SHORT].to_owned()
    }

    /// Returns the short name of the server without its directory, as used in grants, trust and
    /// records.
    pub fn server_id(&self) -> String {
        self.digest.to_string()[..SHORT].to_owned()
    }

    /// Returns the name for people: `NAME#ID`, which `overt pins` and `overt trust` accept, or just
    /// the id if no name is known.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}#{}", self.server_id()),
            None => self.id(),
        }
    }

    /// Whether both are started by the same words or reached at the same address. Variables and the
    /// directory of Overt don't matter; a configured folder does.
    pub fn is_started_like(&self, other: &Self) -> bool {
        let member = |identity: &Self, name| {
            let value = identity.json.as_json().get(name).value();
            value.map(|value| value.as_str().to_owned())
        };
        let is_same = |name| member(self, name) == member(other, name);
        let is_earlier = |one: &Self, other: &Self| one.earlier.as_deref() == Some(&*other.file_stem());
        ["command", "cwd", "url"].into_iter().all(is_same)
            || is_earlier(self, other)
            || is_earlier(other, self)
    }

    /// Returns the command as a person would type it, or the address. Not escaped.
    pub fn text(&self) -> String {
        let json = self.json.as_json();
        if let Some(url) = json.get("url").string() {
            return url.into_owned();
        }
        let words = json.get("command").value().into_iter().flat_map(Json::elements);
        let words: Vec<String> = words.filter_map(Json::string).map(|word| shell_word(&word)).collect();
        let names = strings(json, "env").unwrap_or_default();
        let names = if names.is_empty() { String::new() } else { format!(" (with {})", names.join(", ")) };
        let place = self.directory.as_ref().map(|directory| format!(" (in {directory})")).unwrap_or_default();
        words.join(" ") + &names + &place
    }
}

/// Ignores the name, and the file name of version 1.
impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.placed == other.placed
    }
}

impl Eq for Identity {}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), Untrusted(&self.text()))
    }
}

pub(super) const STEM: usize = 32;
pub(super) const SHORT: usize = 8;
const SERVER_PART: usize = 16;

fn stem(digest: Digest) -> String {
    digest.to_string()[..STEM].to_owned()
}

/// Returns the JSON of a command. Absent parts have no member, so that the digest of a server
/// without them never changes.
fn command_json(words: &[String], cwd: Option<&str>, names: &[String]) -> JsonBuf {
    let object = Object::new().json("command", array(words).as_json()).maybe("cwd", cwd);
    match names.is_empty() {
        true => object.finish(),
        false => object.json("env", array(names).as_json()).finish(),
    }
}

fn array(words: &[String]) -> JsonBuf {
    let add = |array: Array, word: &String| match Json::parse(&quote(word)) {
        Ok(word) => array.json(word),
        // This can't happen: a quoted string is valid JSON.
        Err(_) => array,
    };
    words.iter().fold(Array::new(), add).finish()
}

fn strings(json: Json<'_>, member: &str) -> Option<Vec<String>> {
    let list = json.get(member).value().filter(|list| list.is_array())?;
    list.elements().map(|word| word.string().map(Cow::into_owned)).collect()
}

/// Normalizes an address and removes the parts that may be secret.
fn plain_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let scheme = scheme.to_ascii_lowercase();
    let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    let path = if path.is_empty() { "/" } else { path };
    format!("{scheme}://{host}{path}")
}

pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use overt_transport::client::Environment;

    use super::*;

    #[test]
    fn addresses_have_one_spelling_and_no_secrets() {
        let same =
            ["https://example.com", "HTTPS://me:pass@Example.com:443/?key=1#x", "https://example.com/"];
        for url in same {
            assert_eq!(Identity::url(url).text(), "https://example.com/");
            assert_eq!(Identity::url(url).id(), Identity::url(same[0]).id());
        }
        assert_eq!(Identity::url("http://127.0.0.1:3001/mcp").text(), "http://127.0.0.1:3001/mcp");
        assert_ne!(Identity::url("http://a/x").id(), Identity::url("http://a/y").id());
    }

    #[test]
    fn words_are_not_glued_together() {
        let of = |words: &[&str]| {
            Identity::command(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), None)
        };
        assert_ne!(of(&["a b"]).id(), of(&["a", "b"]).id());
        assert_eq!(of(&["npx", "-y", "it's"]).text(), r"npx -y 'it'\''s'");
        let there = Identity::command(&["npm".to_owned()], Some("/srv"));
        assert_ne!(there.id(), of(&["npm"]).id());
        assert_eq!(there.server_id(), of(&["npm"]).server_id());
        assert_eq!(there.text(), "npm (in /srv)");
        assert_eq!(there.label(), there.id());
        let label = there.clone().named(Some("site".to_owned())).label();
        assert_eq!(label, format!("site#{}", there.server_id()));
        for identity in [of(&["a b", "\"\u{1b}"]), there, Identity::url("http://a/")] {
            assert_eq!(Identity::read(identity.json(), identity.directory()), Some(identity.clone()));
        }
    }

    #[test]
    fn a_10_the_program_the_directory_and_the_names_of_variables_count() {
        let command = |found: &str, env: Environment| {
            let args = vec!["./server.js".into()];
            Target::Command(Command { found: Some(found.into()), args, env, ..Command::new("node") })
        };
        let of = |target: &Target, directory: &str| Identity::of(target, Some(Path::new(directory)));
        let plain = of(&command("/usr/bin/node", Environment::empty()), "/a");
        let other = of(&command("/opt/node", Environment::empty()), "/a");
        assert_ne!(plain.server_id(), other.server_id(), "another program");
        let there = of(&command("/usr/bin/node", Environment::empty()), "/b");
        assert_eq!(plain.server_id(), there.server_id());
        assert_ne!(plain.id(), there.id(), "another directory");
        let key = |value| Environment::empty().with("PATH", "/bin").with_configured("KEY", value);
        let with_key = of(&command("/usr/bin/node", key("s3cret")), "/a");
        assert_ne!(plain.server_id(), with_key.server_id(), "another name");
        assert_eq!(with_key, of(&command("/usr/bin/node", key("changed")), "/a"), "the value is not in it");
        assert!(!with_key.json().as_str().contains("s3cret"));
        assert!(with_key.is_started_like(&plain) && !other.is_started_like(&plain));
        assert_eq!(with_key.text(), "/usr/bin/node ./server.js (with KEY) (in /a)");
        assert_eq!(Identity::read(with_key.json(), Some("/a")).unwrap().id(), with_key.id());
    }
}
