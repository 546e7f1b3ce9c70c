//! The definitions that a person was shown when `overt wrap` asked about a server. The decision in
//! the user's file covers exactly these.
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use overt_layers::grants::SeenTool;
use overt_wire::hex::hex;
use sha2::{Digest as _, Sha256};

use super::server_trust::ServerTrust;

/// A file for each decision, in the state folder.
#[derive(Debug)]
pub(crate) struct ShownTools {
    folder: PathBuf,
}

/// The most bytes of a file that is read.
const MOST_BYTES: u64 = 16 << 20;

impl ShownTools {
    pub(crate) fn of(state: &Path) -> Self {
        Self { folder: state.join("wrap/shown") }
    }

    pub(crate) fn write(&self, decision: &ServerTrust, shown: &[SeenTool]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        fs::write(self.path(decision), serde_json::to_vec(shown)?)
    }

    /// Returns nothing if there is no file, or none that can be used: the person is asked again.
    pub(crate) fn read(&self, decision: &ServerTrust) -> Vec<SeenTool> {
        let path = self.path(decision);
        let read = || -> io::Result<Vec<SeenTool>> {
            let mut text = String::new();
            File::open(&path)?.take(MOST_BYTES).read_to_string(&mut text)?;
            Ok(serde_json::from_str(&text)?)
        };
        match read() {
            Ok(shown) => shown,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!("{}: {error}; you are asked about the server's tools", path.display());
                }
                Vec::new()
            }
        }
    }

    fn path(&self, decision: &ServerTrust) -> PathBuf {
        let ServerTrust { name, started, project, .. } = decision;
        let text = serde_json::json!([name, started.words(), project]).to_string();
        self.folder.join(hex(&Sha256::digest(text.as_bytes())[..8]))
    }
}
