//! Where the files of clients are on this machine.
use std::path::{Path, PathBuf};

use super::facts::{Base, ClientFacts, ConfigFile};
use crate::settings::Env;

/// The folders in which clients keep their configuration files.
#[derive(Debug, Clone)]
pub(crate) struct ClientFolders {
    home: Option<PathBuf>,
    applications: Option<PathBuf>,
    project: Option<PathBuf>,
    /// Folders that variables name, for each variable of the table.
    variables: Vec<(&'static str, PathBuf)>,
}

/// Whom a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    User,
    Project,
}

impl ClientFolders {
    /// `project` is the folder whose files count besides those of the user.
    pub(crate) fn new(env: &Env, project: Option<PathBuf>) -> Self {
        let given = |name: &str| env.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = given("HOME");
        let applications = match cfg!(target_os = "macos") {
            true => home.as_ref().map(|home| home.join("Library/Application Support")),
            false => given("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config"))),
        };
        let variables = super::ALL.iter().flat_map(|client| client.files).filter_map(|file| file.variable);
        let variables = variables.filter_map(|name| Some((name, given(name)?))).collect();
        Self { home, applications, project, variables }
    }

    /// Where this file of a client is. None without such a folder here.
    pub(crate) fn path(&self, file: &ConfigFile) -> Option<PathBuf> {
        let named = file.variable.and_then(|name| self.variables.iter().find(|(known, _)| *known == name));
        if let Some((_, folder)) = named {
            return Some(folder.join(Path::new(file.path).file_name()?));
        }
        Some(self.base(file.base)?.join(file.path))
    }

    /// All files of a client, whether they exist or not.
    pub(crate) fn files<'a>(
        &'a self,
        client: &'static ClientFacts,
    ) -> impl Iterator<Item = (PathBuf, &'static ConfigFile)> + 'a {
        client.files.iter().filter_map(|file| Some((self.path(file)?, file)))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
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
    pub(crate) fn scope(&self) -> Scope {
        match self.base {
            Base::Home | Base::Applications => Scope::User,
            Base::Project => Scope::Project,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::by_word;
    use super::*;

    #[test]
    fn files_are_where_variables_say() {
        let env =
            Env::of(&[("HOME", "/home/me"), ("CODEX_HOME", "/codex"), ("CLAUDE_CONFIG_DIR", "relative")]);
        let places = ClientFolders::new(&env, Some(PathBuf::from("/site")));
        let paths = |word: &str| -> Vec<String> {
            let client = by_word(word).unwrap();
            places.files(client).map(|(path, _)| path.display().to_string()).collect()
        };
        assert_eq!(paths("codex"), ["/codex/config.toml", "/site/.codex/config.toml"]);
        assert_eq!(paths("claude-code"), ["/home/me/.claude.json", "/site/.mcp.json"]);
        assert!(ClientFolders::new(&Env::of(&[]), None).files(by_word("cursor").unwrap()).next().is_none());
    }
}
