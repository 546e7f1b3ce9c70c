//! Which server: what stays the same from run to run and tells one from another. No secret belongs
//! in it.
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use overt_transport::client::{Command, Target};
use overt_wire::json::{Array, Json, JsonBuf, Object, quote};
use overt_wire::text::Untrusted;

use super::digest::Digest;

/// A server by how it is started or reached: the program that was found, its arguments, its folder
/// if one is configured and the names of the variables that are configured; or an address without
/// user, password and query.
///
/// What a command means also depends on the directory that it is started in. Pins are for a server
/// in its directory.
#[derive(Clone)]
pub struct Identity {
    json: JsonBuf,
    digest: Digest,
    /// Where a command is started; none for an address.
    directory: Option<String>,
    /// Of the server in its directory.
    placed: Digest,
    /// The file in which version 1 remembered this server.
    earlier: Option<String>,
    /// What the server is called in scopes and grants, where that is known. It tells nothing apart.
    name: Option<String>,
}

impl Identity {
    /// The server behind a target that is started in `directory`, unless the target has one of its
    /// own.
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
        // Version 1 knew the words as they were written.
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

    /// Reads what [`Identity::json`] and [`Identity::directory`] gave.
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

    /// The server with its name in scopes and grants.
    #[must_use]
    pub fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// `{"command":[…]}` or `{"url":…}`.
    pub fn json(&self) -> Json<'_> {
        self.json.as_json()
    }

    /// Where a command is started; none for an address.
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// Names the file in which the server is remembered. The same server in another directory has
    /// another beginning and the same end.
    pub(super) fn file_stem(&self) -> String {
        match self.directory {
            Some(_) => self.placed.to_string()[..STEM - SERVER_PART].to_owned() + &self.server_part(),
            None => stem(self.digest),
        }
    }

    /// The end of the names of all files in which the server is remembered, one for each directory.
    pub(super) fn server_part(&self) -> String {
        self.digest.to_string()[..SERVER_PART].to_owned()
    }

    /// Names the file in which version 1 remembered the server, if that is another one.
    pub(super) fn earlier_stem(&self) -> Option<&str> {
        self.earlier.as_deref().filter(|stem| *stem != self.file_stem())
    }

    /// The short name of the server in its directory: `overt pins` takes it.
    pub fn id(&self) -> String {
        self.placed.to_string()[..SHORT].to_owned()
    }

    /// The short name of the server in whatever directory: grants, trust and records have it.
    pub fn server_id(&self) -> String {
        self.digest.to_string()[..SHORT].to_owned()
    }

    /// What people read for the server: `NAME#ID`, which `overt pins` and `overt trust` take; only
    /// the id where no name is known.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}#{}", self.server_id()),
            None => self.id(),
        }
    }

    /// Whether both are started by the same words or reached at the same address, wherever and with
    /// whichever variables.
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

    /// The command as one would type it, or the address. Not escaped.
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

/// Its name, and where version 1 kept it, make no difference.
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

/// What is not there has no member, so that a server without it keeps its digest.
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
        // A quoted string is JSON.
        Err(_) => array,
    };
    words.iter().fold(Array::new(), add).finish()
}

fn strings(json: Json<'_>, member: &str) -> Option<Vec<String>> {
    let list = json.get(member).value().filter(|list| list.is_array())?;
    list.elements().map(|word| word.string().map(Cow::into_owned)).collect()
}

/// The address without what may be secret; what doesn't matter in it has one spelling.
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
