//! Measures the validators, then the servers.

use super::library::write_skills;
use super::options::Options;
use super::{check, serve};
use crate::build::overt;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::say;
use xtask::setup::install_agnix;

/// How many times faster we must be than skills-ref, in one process, on the generated skills.
const GOAL: f64 = 50.0;

pub(crate) fn run(repo: &Repo, options: Options) -> Result<(), Failure> {
    let Options { count, rounds, check, peers, binary } = options;
    if peers {
        install_agnix(repo)?;
    }
    let overt = match binary {
        Some(binary) => binary,
        None => overt(repo)?,
    };
    // Don't write below `target/`, because agnix skips what Git ignores.
    let generated = std::env::temp_dir().join(format!("overt-bench-skills-{count}"));
    write_skills(&generated, count)?;
    let ratio = check::measure(repo, &overt, "generated", &generated, rounds)?;
    let corpora = repo.root.ancestors().map(|folder| folder.join("shared/data/skills-corpus"));
    match corpora.into_iter().find(|corpus| corpus.is_dir()) {
        Some(corpus) => drop(check::measure(repo, &overt, "corpus", &corpus, rounds)?),
        None => say::line("the corpus of public skills is not beside the repository: left out"),
    }
    serve::measure(repo, &overt, rounds)?;
    if check && ratio < GOAL {
        return Err(Failure::new(format!(
            "`overt skill check` is {ratio:.0} times as fast as skills-ref, under {GOAL}"
        )));
    }
    Ok(())
}
