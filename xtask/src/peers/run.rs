//! Runs all cases and prints a line for each. None is skipped, so that one report shows every
//! fault.

use std::time::Instant;

use super::case::Case;
use super::{
    agent, apps, clients, compat, control, day, documents, files, inspector, outside, servers,
    skill_surfaces, skills, state, through, uris,
};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::{example, say, setup, shared_work};

/// Takes parts of a case's name, to run only matching cases. `day` and `agent` alone do not start
/// the other peers, because they don't need them. `agent --peers` installs rust-mcp-filesystem
/// first.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    if matches!(args, [only] if only == "day") {
        setup::install(repo)?;
        example::build(repo, "peers")?;
        let cases = [day::case(repo)];
        return verdict(&run_again(&run_groups(&[&cases])), 1);
    }
    if matches!(args, [only, rest @ ..] if only == "agent" && (rest.is_empty() || rest == ["--peers"])) {
        setup::install(repo)?;
        if args.len() > 1 {
            setup::RUST_MCP_FILESYSTEM.install(repo)?;
        }
        example::build(repo, "peers")?;
        let cases = agent::cases(repo);
        return verdict(&run_again(&run_groups(&[&cases])), cases.len());
    }
    setup::install(repo)?;
    example::build(repo, "peers")?;
    let server = example::start(repo, "peer example-server")?;
    let servers = servers::start(repo)?;
    let files = files::start(repo)?;
    // The cases of each of these groups share files and questions. They take longest, so they start
    // first.
    let mut in_turn = [vec![day::case(repo)], files.cases, agent::cases(repo)];
    let mut cases = clients::cases(repo, &server.url);
    cases.extend(inspector::cases(repo, &server.url)?);
    let behind = through::start(repo, &servers)?;
    cases.extend(servers.cases);
    cases.extend(behind.cases);
    let stateful = state::start(repo)?;
    cases.extend(stateful.cases);
    cases.extend(apps::cases(repo));
    cases.extend(control::cases(repo)?);
    cases.extend(outside::cases(repo));
    cases.extend(documents::cases(repo)?);
    cases.extend(compat::cases(repo));
    cases.extend(uris::cases(repo)?);
    cases.extend(skills::cases(repo));
    let surfaces = skill_surfaces::cases(repo)?;
    cases.extend(surfaces.cases);
    for cases in in_turn.iter_mut().chain([&mut cases]) {
        cases.retain(|case| args.iter().all(|part| case.name.contains(part)));
    }
    let count = in_turn.iter().map(Vec::len).sum::<usize>() + cases.len();
    if count == 0 {
        return Err(Failure::new("no case has such a name").hint("run `cargo xtask peers` to see the names"));
    }

    let groups: Vec<&[Case]> = in_turn.iter().map(Vec::as_slice).chain(cases.chunks(1)).collect();
    verdict(&run_again(&run_groups(&groups)), count)
}

fn verdict(failures: &[String], count: usize) -> Result<(), Failure> {
    if failures.is_empty() {
        return Ok(());
    }
    let what = format!("{} of {} cases failed\n\n{}", failures.len(), count, failures.join("\n\n"));
    Err(Failure::new(what).hint("repeat one with `cargo xtask peers 'PART OF ITS NAME'`"))
}

/// Runs the cases and returns those that failed. The cases of a group run one after the other, and
/// one group per processor runs at a time.
fn run_groups<'a>(groups: &[&'a [Case]]) -> Vec<&'a Case> {
    let failed = |group: &&'a [Case]| -> Vec<&'a Case> {
        group.iter().filter(|case| run_case(case, "").is_err()).collect()
    };
    shared_work::each(groups, shared_work::processors(), failed).concat()
}

/// Runs failed cases again and returns the errors of those that fail again. A program on a busy
/// machine may miss a deadline, but a real fault fails again.
fn run_again(failed: &[&Case]) -> Vec<String> {
    let again = |case: &&Case| run_case(case, "in the second try").err();
    failed.iter().filter_map(again).collect()
}

fn run_case(case: &Case, note: &str) -> Result<(), String> {
    let started = Instant::now();
    match (case.run)() {
        Ok(result) => {
            let note = if note.is_empty() { result } else { format!("{result}, {note}") };
            say::step(&case.name, "ok", started.elapsed(), &note);
            Ok(())
        }
        Err(failure) => {
            say::step(&case.name, "FAILED", started.elapsed(), note);
            Err(format!("{}: {failure}", case.name))
        }
    }
}
