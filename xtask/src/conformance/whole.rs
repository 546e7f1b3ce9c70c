//! Both sides, one after the other.

use super::{client, server};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::{example, setup};

/// Takes `server` or `client` to run one side only.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let sides: &[&str] = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => &["server", "client"],
        ["server"] => &["server"],
        ["client"] => &["client"],
        _ => {
            return Err(
                Failure::new("unknown arguments").hint("usage: cargo xtask conformance [server | client]")
            );
        }
    };
    setup::install(repo)?;
    example::build(repo)?;
    for side in sides {
        match *side {
            "server" => server::check(repo)?,
            _ => client::check(repo)?,
        }
    }
    Ok(())
}
