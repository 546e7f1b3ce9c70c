//! What is installed already: a tool set's stamp holds the manifest that it was installed from,
//! word for word.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::repo::Repo;

#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    manifest: String,
}

impl Stamp {
    /// The stamp of the tool set `name`, for these manifest files and options.
    pub(crate) fn new(repo: &Repo, name: &str, manifests: &[&str], options: &str) -> Result<Self, Failure> {
        let mut manifest = format!("{options}\n");
        for name in manifests {
            let path = repo.root.join(name);
            manifest += &std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
        }
        Ok(Self { file: repo.tools.join(format!("{name}.stamp")), manifest })
    }

    /// Whether this very manifest was installed, and the program that it gives is still there.
    pub(crate) fn is_current(&self, program: &Path) -> bool {
        program.exists() && std::fs::read_to_string(&self.file).is_ok_and(|known| known == self.manifest)
    }

    /// To be called first, so that an installation that is broken off is not taken for a whole one.
    pub(crate) fn remove(&self) {
        let _ = std::fs::remove_file(&self.file);
    }

    /// To be called last.
    pub(crate) fn write(&self) -> Result<(), Failure> {
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
        std::fs::create_dir_all(&repo.tools).unwrap();
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
