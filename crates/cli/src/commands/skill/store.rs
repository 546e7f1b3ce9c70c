//! Writes a skill: to a temporary directory, which is then renamed. The target always has the old
//! content or the new, never a mixture.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::install_plan::{InstallPlan, PlanError, content};
use crate::error::Diagnostic;

/// The reason why a skill was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError {
    #[error("failed to write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` was changed since you looked at it; nothing was written", .0.display())]
    Changed(PathBuf),
    #[error("`{}` can't be looked at again; nothing was written", path.display())]
    Look { path: PathBuf, source: PlanError },
}

impl Diagnostic for StoreError {
    fn hint(&self) -> Option<String> {
        matches!(self, Self::Changed(_)).then(|| "look at the differences once more".to_owned())
    }
}

pub(super) fn write(plan: &InstallPlan<'_>) -> Result<(), StoreError> {
    let target = plan.target();
    let failed = |source| StoreError::Write { path: target.to_owned(), source };
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed)?;
    let name = plan.skill().manifest().name();
    let part =
        Temporary::create(parent.join(format!(".{name}.overt-{}", std::process::id()))).map_err(failed)?;
    fill(plan, &part.0).map_err(failed)?;
    let now = content(target).map_err(|source| StoreError::Look { path: target.to_owned(), source })?;
    if now.as_ref() != plan.before() {
        return Err(StoreError::Changed(target.to_owned()));
    }
    // A rename can replace an empty directory only, so the old one is moved away first.
    match now {
        None => fs::rename(&part.0, target).map_err(failed)?,
        Some(_) => {
            let old = parent.join(format!(".{name}.overt-{}-old", std::process::id()));
            fs::rename(target, &old).map_err(failed)?;
            if let Err(source) = fs::rename(&part.0, target) {
                // After a failure, move the old directory back. If even that fails, the person
                // still has it beside its place.
                let _ = fs::rename(&old, target);
                return Err(failed(source));
            }
            let _ = fs::remove_dir_all(&old);
        }
    }
    File::open(parent).and_then(|parent| parent.sync_all()).map_err(failed)
}

/// Writes all files. None of them is executable.
fn fill(plan: &InstallPlan<'_>, part: &Path) -> io::Result<()> {
    for file in plan.skill().files() {
        let place = part.join(file.path());
        if let Some(directory) = place.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut written = OpenOptions::new().write(true).create_new(true).open(&place)?;
        written.write_all(file.bytes())?;
        written.sync_all()?;
    }
    Ok(())
}

/// A temporary directory. Dropping it removes the directory.
struct Temporary(PathBuf);

impl Temporary {
    /// Creates the directory. No living process uses this name, so an existing directory is left
    /// over from a dead process with our process id.
    fn create(path: PathBuf) -> io::Result<Self> {
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use overt_documents::skill::remote::{SkillLoad, SkillManifest, VerifiedSkill};
    use overt_wire::json::JsonBuf;
    use overt_wire::skill::{Sha256Digest, SkillEntry, SkillFile, SkillResources};
    use sha2::{Digest as _, Sha256};
    use tempfile::TempDir;

    use super::*;
    use crate::args::ExistingFile;

    fn skill(body: &str) -> VerifiedSkill {
        let main =
            format!("---\nname: a\ndescription: Does it. Use when asked.\n---\n\n{body}\n").into_bytes();
        let file = SkillFile {
            uri: "skill://a/SKILL.md".to_owned(),
            digest: Sha256Digest(Sha256::digest(&main).into()),
            size: main.len() as u64,
        };
        let entry = SkillEntry {
            uri: file.uri.clone(),
            frontmatter: JsonBuf::parse(r#"{"name":"a","description":"Does it. Use when asked."}"#).unwrap(),
            resources: SkillResources::Files(vec![file]),
        };
        SkillLoad::begin(SkillManifest::new(entry).unwrap(), main).unwrap().finish().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A directory that changed since it was shown is not overwritten, and no temporary files stay.
    #[test]
    fn what_changed_since_it_was_shown_stays() {
        let here = TempDir::new().unwrap();
        let (old, new) = (skill("old"), skill("new"));
        let plan = InstallPlan::make(&old, here.path(), ExistingFile::Keep).unwrap();
        fs::create_dir(here.path().join("a")).unwrap();
        assert!(matches!(write(&plan), Err(StoreError::Changed(_))), "somebody made the directory");
        assert_eq!(names(here.path()), ["a"]);
        fs::remove_dir(here.path().join("a")).unwrap();
        write(&plan).unwrap();

        let plan = InstallPlan::make(&new, here.path(), ExistingFile::Replace).unwrap();
        fs::write(here.path().join("a/mine"), "mine").unwrap();
        assert!(matches!(write(&plan), Err(StoreError::Changed(_))), "somebody added a file");
        assert_eq!(names(&here.path().join("a")), ["SKILL.md", "mine"]);
        assert_eq!(names(here.path()), ["a"]);
        fs::remove_file(here.path().join("a/mine")).unwrap();
        write(&plan).unwrap();
        assert!(fs::read_to_string(here.path().join("a/SKILL.md")).unwrap().ends_with("new\n"));
        assert_eq!(names(here.path()), ["a"]);
    }

    /// A symbolic link in the place of the skill is not followed.
    #[test]
    fn a_link_is_not_a_directory() {
        let here = TempDir::new().unwrap();
        fs::create_dir(here.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("elsewhere", here.path().join("a")).unwrap();
        let plan = InstallPlan::make(&skill("new"), here.path(), ExistingFile::Replace).map(|_| ());
        assert!(matches!(plan, Err(PlanError::NotDirectory(_))));
        assert_eq!(names(&here.path().join("elsewhere")), [] as [&str; 0]);
    }
}
