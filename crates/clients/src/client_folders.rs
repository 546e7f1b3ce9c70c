//! Where clients keep their files on this machine.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::facts::{Base, ClientFacts, ConfigFile};

/// The folders in which clients keep their configuration files.
#[derive(Debug, Clone)]
pub struct ClientFolders {
    home: Option<PathBuf>,
    applications: Option<PathBuf>,
    project: Option<PathBuf>,
    /// The folders that environment variables name, for the variables of the table.
    variables: Vec<(&'static str, PathBuf)>,
}

/// Whether a file applies to all projects of the user or to one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    User,
    Project,
}

impl ClientFolders {
    /// `variable` reads an environment variable. `project` is a folder whose files are used besides
    /// those of the user.
    pub fn new(variable: impl Fn(&str) -> Option<OsString>, project: Option<PathBuf>) -> Self {
        let given = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = given("HOME");
        let applications = match cfg!(target_os = "macos") {
            true => home.as_ref().map(|home| home.join("Library/Application Support")),
            false => given("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config"))),
        };
        let variables = super::ALL.iter().flat_map(|client| client.files).filter_map(|file| file.variable);
        let variables = variables.filter_map(|name| Some((name, given(name)?))).collect();
        Self { home, applications, project, variables }
    }

    /// Returns the path of a client's file; `None` if its base folder is not known.
    pub fn path(&self, file: &ConfigFile) -> Option<PathBuf> {
        let named = file.variable.and_then(|name| self.variables.iter().find(|(known, _)| *known == name));
        if let Some((_, folder)) = named {
            return Some(folder.join(Path::new(file.path).file_name()?));
        }
        Some(self.base(file.base)?.join(file.path))
    }

    /// Returns all files of a client, whether they exist or not.
    pub fn files<'a>(
        &'a self,
        client: &'static ClientFacts,
    ) -> impl Iterator<Item = (PathBuf, &'static ConfigFile)> + 'a {
        client.files.iter().filter_map(|file| Some((self.path(file)?, file)))
    }

    /// Returns the folders that variables name, each with the usual folder that it stands for.
    pub fn moved(&self) -> Vec<(PathBuf, String)> {
        let files = super::ALL.iter().flat_map(|client| client.files);
        let moved = files.filter_map(|file| {
            let (_, folder) = self.variables.iter().find(|(name, _)| Some(*name) == file.variable)?;
            let usual = Path::new(file.path).parent().filter(|parent| parent.file_name().is_some());
            // Claude Code keeps `.claude.json` and the contents of `.claude` in one such folder.
            let usual = usual.map_or_else(|| Path::new(file.path).with_extension(""), Path::to_owned);
            Some((folder.clone(), usual.to_str()?.to_owned()))
        });
        moved.collect()
    }

    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn base(&self, base: Base) -> Option<&Path> {
        match base {
            Base::Home => self.home.as_deref(),
            Base::Applications => self.applications.as_deref(),
            Base::Project => self.project.as_deref(),
        }
    }
}

impl ConfigFile {
    pub fn scope(&self) -> Scope {
        match self.base {
            Base::Home | Base::Applications => Scope::User,
            Base::Project => Scope::Project,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_word;

    #[test]
    fn files_are_where_variables_say() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/me".into()),
            "CODEX_HOME" => Some("/codex".into()),
            "CLAUDE_CONFIG_DIR" => Some("relative".into()),
            _ => None,
        };
        let places = ClientFolders::new(variable, Some(PathBuf::from("/site")));
        let paths = |word: &str| -> Vec<String> {
            let client = by_word(word).unwrap();
            places.files(client).map(|(path, _)| path.display().to_string()).collect()
        };
        assert_eq!(paths("codex"), ["/codex/config.toml", "/site/.codex/config.toml"]);
        assert_eq!(paths("claude-code"), ["/home/me/.claude.json", "/site/.mcp.json"]);
        assert_eq!(places.moved(), [(PathBuf::from("/codex"), ".codex".to_owned())]);
        let claude = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| "/claude".into());
        let moved = ClientFolders::new(claude, None).moved();
        assert_eq!(moved, [(PathBuf::from("/claude"), ".claude".to_owned())]);
        assert!(ClientFolders::new(|_| None, None).files(by_word("cursor").unwrap()).next().is_none());
    }
}
