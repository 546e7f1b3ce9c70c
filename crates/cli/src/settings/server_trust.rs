//! The user's own `overt.toml`: decisions that a person made about servers when they were wrapped.
//! The person can read and edit it by hand.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use overt_settings::toml_edit::{append_table, set_text};
use overt_settings::toml_file::TomlFile;
use serde_json::{Value, json};

use super::control::read_config_file;
use super::substitution::fits;
use super::{Env, user_file};
use crate::error::{CommandError, user_error};

/// The user's file. It may not exist.
#[derive(Debug, Clone)]
pub(crate) struct TrustFile {
    path: Option<PathBuf>,
}

/// A decision about a server of this name, if this command starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerTrust {
    pub(crate) name: String,
    pub(crate) started: ServerLaunch,
    /// The project that it applies to; `None` for all projects.
    pub(crate) project: Option<String>,
    pub(crate) trust: Trust,
}

/// How a server is started or reached, as written in the client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerLaunch {
    Command(Vec<String>),
    Url(String),
}

impl ServerLaunch {
    /// The words of the command, or the address alone.
    pub(super) fn words(&self) -> &[String] {
        match self {
            Self::Command(words) => words,
            Self::Url(url) => std::slice::from_ref(url),
        }
    }

    /// A command of these words. `None` if a word is not UTF-8, which no configuration file can
    /// contain.
    pub(super) fn of_words(words: &[OsString]) -> Option<Self> {
        let words = words.iter().map(|word| word.to_str().map(str::to_owned));
        words.collect::<Option<Vec<_>>>().map(Self::Command)
    }
}

/// Where a person finds what the file contains.
const FORMAT: &str = "docs/wrap.md shows what it contains";

fn unusable(path: &Path, why: &str) -> CommandError {
    user_error(format!("`{}` {why}", path.display())).hinted(FORMAT)
}

const HEADING: &str = "\
# How much you want to be asked about each server: \"everything\" asks before every call, \"changes\" before changes,
# \"deletes\" before what deletes or leaves this machine, \"nothing\" only records. `overt wrap` adds the servers; you can edit them.
";

impl TrustFile {
    pub(crate) fn resolve(env: &Env) -> Self {
        Self { path: user_file(env) }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Every decision in the file; empty if there is no file.
    pub(crate) fn decisions(&self) -> Result<Vec<ServerTrust>, CommandError> {
        match self.read()? {
            Some((path, text)) => decisions(&text).map_err(|why| unusable(&path, &why)),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the path, the current text and the text with these decisions. The current text is
    /// `None` if there is no file.
    pub(crate) fn with(
        &self,
        new: &[ServerTrust],
    ) -> Result<(PathBuf, Option<String>, String), CommandError> {
        let path = self
            .path
            .clone()
            .ok_or_else(|| user_error("can't find `overt.toml`: `HOME` is not set").hinted(FORMAT))?;
        let before = self.read()?.map(|(_, text)| text);
        let unusable = |why: String| unusable(&path, &why);
        let mut text = before.clone().unwrap_or_else(|| HEADING.to_owned());
        for one in new {
            text = with_decision(&text, one).map_err(unusable)?;
        }
        Ok((path.clone(), before, text))
    }

    /// The decisions in the text of a file, or the reason why they cannot be read.
    pub(crate) fn decisions_in(text: &str) -> Result<Vec<ServerTrust>, String> {
        decisions(text)
    }

    fn read(&self) -> Result<Option<(PathBuf, String)>, CommandError> {
        let Some(path) = self.path.clone().filter(|path| path.exists()) else { return Ok(None) };
        match read_config_file(&path) {
            Ok(text) => Ok(Some((path, text))),
            Err(why) => Err(unusable(&path, &why)),
        }
    }
}

impl ServerTrust {
    /// Whether the decision applies to a server that is started like this. References that a client
    /// replaces in its file match anything in the arguments, but nothing in the program.
    pub(crate) fn is_about(&self, name: &str, started: &ServerLaunch, project: Option<&str>) -> bool {
        let is_started = match (&self.started, started) {
            (ServerLaunch::Command(known), ServerLaunch::Command(words)) => {
                known.len() == words.len()
                    && known.first() == words.first()
                    && known.iter().zip(words).skip(1).all(|(known, word)| fits(known, word))
            }
            (ServerLaunch::Url(known), ServerLaunch::Url(url)) => fits(known, url),
            _ => false,
        };
        let is_here = self.project.is_none() || self.project.as_deref() == project;
        self.name == name && is_started && is_here
    }

    /// Whether it requires less approval than the existing decision about the same server, or none
    /// at all. Only a person may decide that.
    pub(crate) fn is_loose(&self, known: &[Self]) -> bool {
        let asks = |trust: Trust| match trust {
            Trust::Nothing => 0,
            Trust::Deletes => 1,
            Trust::Changes => 2,
            Trust::Everything => 3,
        };
        let before = known.iter().find(|known| known.is_same(self));
        matches!(self.trust, Trust::Nothing | Trust::Deletes)
            || before.is_some_and(|before| asks(self.trust) < asks(before.trust))
    }

    /// Whether both cover the same server in the same project.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.started, &self.project) == (&other.name, &other.started, &other.project)
    }
}

fn decisions(text: &str) -> Result<Vec<ServerTrust>, String> {
    let file = TomlFile::parse(text).map_err(|error| error.to_string())?.value;
    let servers = file.get("servers").and_then(Value::as_object).into_iter().flatten();
    servers.flat_map(|(name, value)| tables(value).iter().map(move |table| read(name, table))).collect()
}

/// The tables of a server: `[servers.NAME]`, or several `[[servers.NAME]]`.
fn tables(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn read(name: &str, table: &Value) -> Result<ServerTrust, String> {
    let string = |member: &str| table.get(member).and_then(Value::as_str).map(str::to_owned);
    let level = string("trust").ok_or_else(|| format!("has no `trust` for the server `{name}`"))?;
    let trust = Trust::parse(&level).ok_or_else(|| {
        format!("has `trust = \"{level}\"` for the server `{name}`; write \"everything\", \"changes\", \"deletes\" or \"nothing\"")
    })?;
    let words = table.get("command").and_then(Value::as_array);
    let command = words.and_then(|words| words.iter().map(|word| Some(word.as_str()?.to_owned())).collect());
    let started = command.map(ServerLaunch::Command).or_else(|| string("url").map(ServerLaunch::Url));
    let started =
        started.ok_or_else(|| format!("has neither `command` nor `url` for the server `{name}`"))?;
    Ok(ServerTrust { name: name.to_owned(), started, project: string("project"), trust })
}

/// Returns the text with the decision added, or with the new level if the decision exists already.
/// All other text is unchanged.
fn with_decision(text: &str, new: &ServerTrust) -> Result<String, String> {
    // Reject a file in which another decision cannot be read.
    decisions(text)?;
    let file = TomlFile::parse(text).map_err(|error| error.to_string())?.value;
    let server = file.get("servers").and_then(|servers| servers.get(&new.name));
    let is_same = |table: &Value| read(&new.name, table).is_ok_and(|known| known.is_same(new));
    let same = server.and_then(|server| tables(server).iter().position(is_same)).map(|at| at.to_string());
    let edited = match (&same, server) {
        (Some(at), Some(Value::Array(_))) => {
            set_text(text, &["servers", &new.name, at, "trust"], new.trust.as_str())
        }
        (Some(_), _) => set_text(text, &["servers", &new.name, "trust"], new.trust.as_str()),
        (None, _) => append_table(text, &["servers", &new.name], &members(new)),
    };
    edited
        .map_err(|_| "has `servers` in a form that can't be added to; write the server in by hand".to_owned())
}

fn members(decision: &ServerTrust) -> Vec<(&'static str, Value)> {
    let started = match &decision.started {
        ServerLaunch::Command(words) => ("command", json!(words)),
        ServerLaunch::Url(url) => ("url", json!(url)),
    };
    let mut members = vec![("trust", json!(decision.trust.as_str())), started];
    members.extend(decision.project.as_ref().map(|project| ("project", json!(project))));
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(name: &str, words: &[&str], project: Option<&str>, trust: Trust) -> ServerTrust {
        let started = ServerLaunch::Command(words.iter().map(|&word| word.to_owned()).collect());
        ServerTrust { name: name.to_owned(), started, project: project.map(str::to_owned), trust }
    }

    #[test]
    fn decisions_are_added_and_changed_in_place() {
        let text = "# mine\n[settings]\nallow = [\"read\"] # x\n";
        let files = decision("files", &["npx", "a \"b\""], Some("/site"), Trust::Changes);
        let once = with_decision(text, &files).unwrap();
        assert_eq!(
            once,
            format!(
                "{text}\n[[servers.files]]\ntrust = \"changes\"\ncommand = [\"npx\", \"a \\\"b\\\"\"]\nproject = \"/site\"\n"
            )
        );
        assert_eq!(with_decision(&once, &files).unwrap(), once, "the same again changes nothing");
        let other = decision("files", &["npx", "other"], None, Trust::Everything);
        let both = with_decision(&once, &other).unwrap();
        assert!(both.starts_with(&once));
        let changed = with_decision(&both, &ServerTrust { trust: Trust::Nothing, ..files.clone() }).unwrap();
        assert_eq!(changed, both.replacen("\"changes\"", "\"nothing\"", 1));
        let odd = decision("my server", &["x"], None, Trust::Changes);
        assert_eq!(decisions(&with_decision("", &odd).unwrap()).unwrap(), [odd]);
    }

    #[test]
    fn a_09_asking_less_is_for_a_person_to_decide() {
        let of = |trust| decision("files", &["npx"], None, trust);
        assert!(!of(Trust::Changes).is_loose(&[]) && !of(Trust::Everything).is_loose(&[of(Trust::Changes)]));
        assert!(of(Trust::Nothing).is_loose(&[]) && of(Trust::Changes).is_loose(&[of(Trust::Everything)]));
        let other = decision("files", &["uvx"], None, Trust::Everything);
        assert!(!of(Trust::Changes).is_loose(&[other]));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for (text, said) in [
            ("[servers.a]\ncommand = ['x']", "has no `trust`"),
            (
                "[servers.a]\ntrust = 'all'\ncommand = ['x']",
                "write \"everything\", \"changes\", \"deletes\" or \"nothing\"",
            ),
            ("[servers.a]\ntrust = 'nothing'", "has neither `command` nor `url`"),
            ("[servers", "line 1"),
        ] {
            assert!(decisions(text).unwrap_err().contains(said), "{text}");
        }
        let inline = "servers = { a = { trust = 'nothing', command = ['x'] } }\n";
        let new = decision("b", &["y"], None, Trust::Changes);
        assert!(with_decision(inline, &new).is_err(), "an inline table can't be added to");
    }

    #[test]
    fn a_decision_is_about_one_command_in_one_project() {
        let about = |decision: &ServerTrust, words: &[&str], project| {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            decision.is_about("files", &ServerLaunch::Command(words), project)
        };
        let here = decision("files", &["npx", "${workspaceFolder}/x", "-v"], Some("/site"), Trust::Changes);
        assert!(about(&here, &["npx", "/any/x", "-v"], Some("/site")));
        assert!(!about(&here, &["npx", "/any/y", "-v"], Some("/site")));
        assert!(!about(&here, &["npx", "/any/x", "-v"], Some("/other")));
        assert!(!about(&here, &["npx", "/any/x"], Some("/site")));
        let everywhere = decision("files", &["${HOME}/x"], None, Trust::Changes);
        assert!(about(&everywhere, &["${HOME}/x"], None));
        assert!(!about(&everywhere, &["/evil/x"], None), "the program is never a pattern");
    }
}
