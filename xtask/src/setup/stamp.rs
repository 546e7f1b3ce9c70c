//! Stamps of installed tool sets. A stamp contains the complete manifest that its tool set was
//! installed from.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::repo::Repo;

#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    manifest: String,
}

impl Stamp {
    /// Returns the stamp of the tool set `name`, for these manifest files and options.
    pub(crate) fn new(repo: &Repo, name: &str, manifests: &[&str], options: &str) -> Result<Self, Failure> {
        let mut manifest = format!("{options}\n");
        for name in manifests {
            let path = repo.root.join(name);
            manifest += &std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
        }
        Ok(Self { file: repo.tools.join(format!("{name}.stamp")), manifest })
    }

    /// Says whether exactly this manifest was installed and its program still exists.
    pub(crate) fn is_current(&self, program: &Path) -> bool {
        program.exists() && std::fs::read_to_string(&self.file).is_ok_and(|known| known == self.manifest)
    }

    /// Removes the stamp. Call this before installing, so that an aborted installation does not
    /// count as complete.
    pub(crate) fn remove(&self) {
        let _ = std::fs::remove_file(&self.file);
    }

    /// Writes the stamp. Call this when everything is installed.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let folder = self.file.parent().unwrap_or(&self.file);
        std::fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        std::fs::write(&self.file, &self.manifest).map_err(Failure::file("write", &self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_holds_for_one_manifest_only() {
        let mut repo = Repo::find().unwrap();
        repo.tools = repo.out.join("stamp-test");
        let _ = std::fs::remove_dir_all(&repo.tools);
        let program = repo.root.join("Cargo.toml");

        let stamp = Stamp::new(&repo, "set", &["xtask/Cargo.toml"], "1").unwrap();
        stamp.remove();
        assert!(!stamp.is_current(&program));
        stamp.write().unwrap();
        assert!(stamp.is_current(&program));
        assert!(!stamp.is_current(Path::new("gone")));

        let newer = Stamp::new(&repo, "set", &["xtask/Cargo.toml"], "2").unwrap();
        assert!(!newer.is_current(&program));
    }
}
