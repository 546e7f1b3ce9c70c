//! A tree for tests, with a second tree beside it that must stay unread.
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use overt_settings::Regions;
use serde_json::json;
use tempfile::TempDir;

use super::super::access::{Roots, View};

/// A root with files in it, and a folder `outside` with a secret beside it.
pub(crate) struct Trial {
    _place: TempDir,
    pub(crate) root: PathBuf,
    roots: Arc<Roots>,
}

/// The content of files that no call may read.
pub(crate) const CANARY: &str = "canary-7f3a";

impl Trial {
    /// Creates the files with their texts. A path that ends with `/` becomes a directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let here = place.path().canonicalize().unwrap();
        let (root, outside) = (here.join("root"), here.join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("canary.txt"), CANARY).unwrap();
        let roots = Arc::new(Roots::open(std::slice::from_ref(&root), &[]).unwrap());
        let trial = Self { _place: place, root, roots };
        for (path, text) in files {
            trial.write(path, text.as_bytes());
        }
        trial
    }

    pub(crate) fn write(&self, path: &str, content: &[u8]) {
        let whole = self.root.join(path);
        if path.ends_with('/') {
            return fs::create_dir_all(whole).unwrap();
        }
        fs::create_dir_all(whole.parent().unwrap()).unwrap();
        fs::write(whole, content).unwrap();
    }

    pub(crate) fn link(&self, from: &str, to: &str) {
        symlink(to, self.root.join(from)).unwrap();
    }

    /// A view that sees the whole root.
    pub(crate) fn view(&self) -> View {
        self.view_without(&[])
    }

    pub(crate) fn view_without(&self, deny: &[&str]) -> View {
        let regions = json!([{ "path": self.root.to_str().unwrap(), "deny": deny }]);
        View::of_regions(&self.roots, Regions::parse(&regions).unwrap())
    }
}
