//! The repository: paths of the checkout, its tools and its build output, and the environment for
//! child programs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// `overt run` for tests of the transport only: everything is allowed, nothing is recorded.
pub const PASSING: [&str; 4] = ["run", "--allow-all", "--audit", "off"];

/// `overt run` as users have it: authorization, the audit log and pins are on. The scopes that the
/// suites need are allowed.
pub const CONTROLLED: [&str; 7] = ["run", "--allow", "read", "--allow", "write", "--allow", "execute"];

#[derive(Debug, Clone)]
pub struct Repo {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The directory where `cargo xtask setup` installs tools; ignored by git.
    pub tools: PathBuf,
    /// Cargo's target directory of the main workspace.
    pub target: PathBuf,
    /// The directory for logs and results of the tasks.
    pub out: PathBuf,
}

impl Repo {
    pub fn find() -> Result<Self, Failure> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().ok_or_else(|| Failure::new("xtask has no parent directory"))?.to_path_buf();
        let tools = root.join(".tools");
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => root.join(dir),
            None => root.join("target"),
        };
        let out = target.join("xtask");
        std::fs::create_dir_all(&out).map_err(Failure::file("create", &out))?;
        Ok(Self { root, tools, target, out })
    }

    /// Returns the path of a binary that `cargo build` made in the main workspace.
    pub fn binary(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(name)
    }

    /// Returns the command that starts `overt` with its own state folder. It uses `env`, because
    /// some clients pass on little of their environment.
    pub fn overt(&self) -> Vec<OsString> {
        self.overt_in(&self.out.join("state"))
    }

    /// Returns the command that starts `overt` with this state folder.
    pub fn overt_in(&self, folder: &Path) -> Vec<OsString> {
        let mut state = OsString::from("OVERT_STATE_DIR=");
        state.push(folder);
        // The peers answer at once, which a person would not do.
        let quick = OsString::from("OVERT_TRUST_QUICK_ANSWERS=true");
        vec!["env".into(), state, quick, self.binary("overt").into()]
    }

    /// Returns the path of an example that `cargo build --all-targets` made in the main workspace.
    pub fn example(&self, name: &str) -> PathBuf {
        self.target.join("debug/examples").join(name)
    }

    /// Returns the path of the Node that the test tools need. The system's may be too old.
    pub fn node(&self) -> PathBuf {
        let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        self.modules().join(format!("node-linux-{arch}/bin/node"))
    }

    /// Returns the directory where npm puts the packages of `tools/npm`.
    pub fn modules(&self) -> PathBuf {
        self.tools.join("npm/node_modules")
    }

    /// Returns the path of the Python that has the packages of `tools/python`.
    pub fn python(&self) -> PathBuf {
        self.tools.join("python/bin/python")
    }

    /// Returns the path of the linter for `bench skills`.
    pub fn agnix(&self) -> PathBuf {
        self.tools.join("agnix/bin/agnix")
    }
}

/// Returns `PATH` with a directory added at the front.
pub fn path_with(first: &Path) -> OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(dirs).unwrap_or(rest)
}

/// Returns the variables that `cargo run` sets for xtask and that must not reach a nested cargo.
/// Some build scripts watch them, so passing them on would rebuild half of the tree on every other
/// run.
pub fn set_by_cargo_run() -> Vec<OsString> {
    const NAMES: &[&str] =
        &["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"];
    let is_set_by_cargo = |name: &OsStr| {
        NAMES.iter().any(|known| name == *known)
            || name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_"))
    };
    std::env::vars_os().map(|(name, _)| name).filter(|name| is_set_by_cargo(name)).collect()
}
