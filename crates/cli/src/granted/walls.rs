//! Which folders a worker serves for the scopes of a grant, and which of them the kernel opens.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use overt_policy::scope::{Action, Scope};

/// The folders of a worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WorkerFolders {
    /// The folders from which paths are reached.
    pub(super) folders: BTreeSet<PathBuf>,
    pub(super) read: BTreeSet<PathBuf>,
    pub(super) write: BTreeSet<PathBuf>,
}

impl WorkerFolders {
    /// Returns the folders for these scopes. The error says, as a part of a sentence, why a scope
    /// opens none.
    pub(super) fn of(scopes: &[Scope], protected: &[PathBuf]) -> Result<Self, String> {
        let mut all = Self::default();
        for scope in scopes {
            all.add(scope, protected)?;
        }
        Ok(all)
    }

    fn add(&mut self, scope: &Scope, protected: &[PathBuf]) -> Result<(), String> {
        let path = scope.path().map(PathBuf::from).filter(|_| scope.kind() == Some("file"));
        let Some(path) = path else { return Err(format!("`{scope}` names no path")) };
        let found = fs::symlink_metadata(&path);
        let is_folder = found.as_ref().is_ok_and(fs::Metadata::is_dir);
        let folder = match is_folder {
            true => path.clone(),
            // What does not exist yet is made in the nearest folder that does.
            false => {
                path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
            }
        };
        let real = fs::canonicalize(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        if real != folder {
            let (path, real) = (path.display(), real.display());
            return Err(format!("the way to `{path}` leads through a link to `{real}`, so name that folder"));
        }
        if folder == Path::new("/") {
            return Err(format!("`{}` is in no folder but the one of everything", path.display()));
        }
        if protected.iter().any(|protected| path.starts_with(protected) || folder.starts_with(protected)) {
            return Err(format!("`{}` is in a place that can't be granted", path.display()));
        }
        match scope.action() {
            // Writing a file makes another one beside it, which then takes its name.
            Action::Write => self.write.insert(folder.clone()),
            _ if found.as_ref().is_ok_and(fs::Metadata::is_file) => self.read.insert(path),
            _ if found.is_ok() => self.read.insert(folder.clone()),
            _ => false,
        };
        self.folders.insert(folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_opens_no_more_than_the_scopes_need() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("in/ner")).unwrap();
        fs::write(top.join("in/a"), "a").unwrap();
        std::os::unix::fs::symlink(top.join("in"), top.join("link")).unwrap();
        std::os::unix::fs::symlink("in/a", top.join("last")).unwrap();
        let scope = |text: &str| {
            let (action, inner) = text.split_once(' ').unwrap();
            Scope::parse(&format!("{action}:file:{}", top.join(inner).display())).unwrap()
        };
        let of = |texts: &[&str]| {
            let scopes: Vec<Scope> = texts.iter().map(|text| scope(text)).collect();
            let made = WorkerFolders::of(&scopes, &[top.join("in/ner")])?;
            let inner = |paths: &BTreeSet<PathBuf>| {
                let inner = paths.iter().map(|path| path.strip_prefix(&top).unwrap().display().to_string());
                inner.collect::<Vec<_>>().join(" ")
            };
            Ok::<_, String>(format!(
                "{} r[{}] w[{}]",
                inner(&made.folders),
                inner(&made.read),
                inner(&made.write)
            ))
        };
        for (scopes, expected) in [
            (&["read in/a"][..], "in r[in/a] w[]"),
            (&["write in/a"], "in r[] w[in]"),
            (&["read in"], "in r[in] w[]"),
            (&["read in/none/x"], "in r[] w[]"),
            (&["write in/new/x"], "in r[] w[in]"),
            (&["read in/a", "write out/b"], " in r[in/a] w[]"),
        ] {
            assert_eq!(of(scopes).unwrap(), expected, "{scopes:?}");
        }
        for refused in ["read link/a", "write link/a", "read in/ner", "write in/ner/x"] {
            assert!(of(&[refused]).is_err(), "{refused}");
        }
        for refused in ["read:file:/", "write:file:/none", "write:file", "read", "read:file:relative"] {
            assert!(WorkerFolders::of(&[Scope::parse(refused).unwrap()], &[]).is_err(), "{refused}");
        }
    }
}
