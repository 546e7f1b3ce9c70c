//! Runs all parts of the conformance tests, one after the other.

use super::{client, server, skills, through};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::{example, setup};

/// Takes `server`, `skills`, `client` or `run` to run one part only.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let sides: &[&str] = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => &["server", "skills", "client", "run"],
        ["server"] => &["server"],
        ["skills"] => &["skills"],
        ["client"] => &["client"],
        ["run"] => &["run"],
        _ => {
            return Err(Failure::new("unknown arguments")
                .hint("usage: cargo xtask conformance [server | skills | client | run]"));
        }
    };
    setup::install(repo)?;
    example::build(repo, "conformance")?;
    for side in sides {
        match *side {
            "server" => server::check(repo)?,
            "skills" => skills::check(repo)?,
            "run" => through::check(repo)?,
            _ => client::check(repo)?,
        }
    }
    Ok(())
}
