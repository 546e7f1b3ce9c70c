//! The tool set `python`: a virtual environment with the Python SDK and FastMCP.

use std::time::Duration;

use super::stamp::Stamp;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

const LIST: &str = "tools/python/requirements.txt";

pub(crate) fn install(repo: &Repo) -> Result<bool, Failure> {
    let stamp = Stamp::new(repo, "python", &[LIST], "venv, pip --no-deps")?;
    let python = repo.python();
    if stamp.is_current(&python) {
        return Ok(false);
    }
    stamp.remove();
    let hint = "`cargo xtask setup` needs Python 3.11 with venv and pip, and an index it can reach";
    Job::new(repo, "setup-venv", "python3")
        .args(["-m", "venv", "--clear"])
        .arg(repo.tools.join("python"))
        .succeed()
        .map_err(|failure| failure.hint(hint))?;
    // The list is complete, so nothing must be resolved: one package asks for a version that not
    // every index has.
    Job::new(repo, "setup-pip", &python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--no-deps", "--require-hashes", "-r", LIST])
        .deadline(Duration::from_secs(600))
        .succeed()
        .map_err(|failure| failure.hint(hint))?;
    stamp.write()?;
    Ok(true)
}
