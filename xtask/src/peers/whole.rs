//! All cases, one line each. All are run, so that one report shows everything that is wrong.

use std::time::Instant;

use super::{apps, clients, compat, control, documents, files, inspector, servers, through, uris};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::{example, say, setup};

/// Takes a part of a case's name, to run only those.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    setup::install(repo)?;
    example::build(repo)?;
    let server = example::start(repo, "peer example-server")?;
    let servers = servers::start(repo)?;
    let mut cases = clients::cases(repo, &server.url);
    cases.extend(inspector::cases(repo, &server.url)?);
    let behind = through::start(repo, &servers)?;
    cases.extend(servers.cases);
    cases.extend(behind.cases);
    cases.extend(apps::cases(repo));
    cases.extend(documents::cases(repo)?);
    cases.extend(control::cases(repo)?);
    cases.extend(compat::cases(repo));
    cases.extend(uris::cases(repo)?);
    let files = files::start(repo)?;
    cases.extend(files.cases);
    cases.retain(|case| args.iter().all(|part| case.name.contains(part)));
    if cases.is_empty() {
        return Err(Failure::new("no case has such a name").hint("run `cargo xtask peers` to see the names"));
    }

    let mut failures = Vec::new();
    for case in &cases {
        let started = Instant::now();
        match (case.run)() {
            Ok(note) => say::step(&case.name, "ok", started.elapsed(), &note),
            Err(failure) => {
                say::step(&case.name, "FAILED", started.elapsed(), "");
                failures.push(format!("{}: {failure}", case.name));
            }
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let what = format!("{} of {} cases failed\n\n{}", failures.len(), cases.len(), failures.join("\n\n"));
    Err(Failure::new(what).hint("repeat one with `cargo xtask peers 'PART OF ITS NAME'`"))
}
