//! Other people's programs, which cargo builds at fixed versions below `.tools/bench`. They are
//! only installed when they are compared with ours.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// A program that a cargo package installs.
#[derive(Debug)]
pub struct CargoProgram {
    package: &'static str,
    version: &'static str,
    program: &'static str,
}

pub const RUST_MCP_FILESYSTEM: CargoProgram =
    CargoProgram { package: "rust-mcp-filesystem", version: "0.4.5", program: "rust-mcp-filesystem" };
pub const RIPGREP: CargoProgram = CargoProgram { package: "ripgrep", version: "15.1.0", program: "rg" };
pub const FD: CargoProgram = CargoProgram { package: "fd-find", version: "10.3.0", program: "fd" };

impl CargoProgram {
    /// Returns the path of the program, if it is installed.
    pub fn installed(&self, repo: &Repo) -> Option<PathBuf> {
        Some(self.path(repo)).filter(|program| program.exists())
    }

    /// Installs the program if it is missing, which takes minutes.
    pub fn install(&self, repo: &Repo) -> Result<PathBuf, Failure> {
        if let Some(program) = self.installed(repo) {
            return Ok(program);
        }
        let name = format!("bench-install-{}", self.package);
        Job::cargo(repo, &name, &["install", self.package, "--version", self.version])
            .args(["--locked", "--quiet", "--root"])
            .arg(folder(repo))
            .succeed()?;
        Ok(self.path(repo))
    }

    fn path(&self, repo: &Repo) -> PathBuf {
        folder(repo).join("bin").join(self.program)
    }
}

fn folder(repo: &Repo) -> PathBuf {
    repo.tools.join("bench/cargo")
}
