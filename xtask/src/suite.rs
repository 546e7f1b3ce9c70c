//! The whole suite: every step with its time, up to the first that fails.

use std::time::Instant;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::setup::Background;
use crate::{conformance, deny, fuzz, page, peers, say, tidy};

/// A step: its name, the command that repeats it, what it does.
struct Step {
    name: &'static str,
    repeat: &'static str,
    /// Whether the tools below `.tools/` have to be there.
    tools: Tools,
    run: fn(&Repo, &Step) -> Result<(), Failure>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    Needed,
    NotNeeded,
}

/// The cheap ones first. What needs the tools comes last, so that they are installed while cargo
/// compiles.
const STEPS: &[Step] = &[
    Step { name: "fmt", repeat: "cargo xtask test fmt", tools: Tools::NotNeeded, run: |repo, _| fmt(repo) },
    Step {
        name: "tidy",
        repeat: "cargo xtask tidy",
        tools: Tools::NotNeeded,
        run: |repo, _| tidy::check(repo),
    },
    Step {
        name: "clippy",
        repeat: "cargo clippy --quiet --workspace --all-targets -- -D warnings",
        tools: Tools::NotNeeded,
        run: typed,
    },
    Step {
        name: "test",
        repeat: "PROPTEST_RNG_SEED=1 cargo test --quiet --workspace",
        tools: Tools::NotNeeded,
        run: |repo, _| test(repo),
    },
    Step {
        name: "simulation",
        repeat: "OVERT_CASES=10000 cargo test --quiet --workspace --test sim",
        tools: Tools::NotNeeded,
        run: |repo, _| simulation(repo),
    },
    Step {
        name: "doc",
        repeat: "RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps",
        tools: Tools::NotNeeded,
        run: |repo, _| doc(repo),
    },
    Step { name: "deny", repeat: "cargo xtask deny", tools: Tools::Needed, run: |repo, _| deny::check(repo) },
    Step { name: "fuzz", repeat: "cargo xtask fuzz", tools: Tools::Needed, run: |repo, _| fuzz::check(repo) },
    Step {
        name: "conformance",
        repeat: "cargo xtask conformance",
        tools: Tools::Needed,
        run: |repo, _| conformance::run(repo, &[]),
    },
    Step {
        name: "browser",
        repeat: "cargo xtask browser",
        tools: Tools::Needed,
        run: |repo, _| page::browse(repo, &[]),
    },
    Step {
        name: "peers",
        repeat: "cargo xtask peers",
        tools: Tools::Needed,
        run: |repo, _| peers::run(repo, &[]),
    },
];

/// Takes the names of steps, to run only those.
pub(crate) fn run(repo: &Repo, names: &[String]) -> Result<(), Failure> {
    if let Some(name) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == *name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(
            Failure::new(format!("there is no step `{name}`")).hint(format!("steps: {}", known.join(", ")))
        );
    }
    let started = Instant::now();
    let chosen: Vec<&Step> =
        STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect();
    let needs_tools = chosen.iter().any(|step| step.tools == Tools::Needed);
    let mut tools = if needs_tools { Some(Background::start(repo)?) } else { None };
    for (passed, step) in chosen.iter().enumerate() {
        if step.tools == Tools::Needed
            && let Some(tools) = tools.take()
        {
            tools.finish()?;
        }
        let started = Instant::now();
        (step.run)(repo, step).map_err(|failure| {
            say::step(step.name, "FAILED", started.elapsed(), "");
            say::line(format!("{passed} passed, 1 failed"));
            failure.hint(format!("repeat it with `{}`", step.repeat))
        })?;
        say::step(step.name, "ok", started.elapsed(), "");
    }
    say::step("all", "ok", started.elapsed(), "");
    say::line(format!("{} passed, 0 failed", chosen.len()));
    Ok(())
}

/// A step that is nothing but its command.
fn typed(repo: &Repo, step: &Step) -> Result<(), Failure> {
    let words: Vec<&str> = step.repeat.split(' ').skip(1).collect();
    Job::cargo(repo, step.name, &words).succeed().map(|_| ())
}

/// The main workspace, and those that are kept apart from it.
fn fmt(repo: &Repo) -> Result<(), Failure> {
    ["", "bench/echo-rmcp", "fuzz", "tools/rmcp-peer"].iter().try_for_each(|dir| {
        let job = Job::cargo(repo, "fmt", &["fmt", "--check"]).dir(repo.root.join(dir));
        job.succeed().map(|_| ())
    })
}

/// With one seed, so that a failure belongs to the change that is tested and can be repeated.
/// `cargo test` alone takes new ones. Two tests for each processor, because many of them wait for
/// the programs that they start.
fn test(repo: &Repo) -> Result<(), Failure> {
    let threads = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let job = Job::cargo(repo, "test", &["test", "--quiet", "--workspace"]);
    job.env("PROPTEST_RNG_SEED", "1").env("RUST_TEST_THREADS", threads.to_string()).succeed().map(|_| ())
}

fn simulation(repo: &Repo) -> Result<(), Failure> {
    let job = Job::cargo(repo, "simulation", &["test", "--quiet", "--workspace", "--test", "sim"]);
    job.env("OVERT_CASES", "10000").succeed().map(|_| ())
}

fn doc(repo: &Repo) -> Result<(), Failure> {
    let job = Job::cargo(repo, "doc", &["doc", "--quiet", "--workspace", "--no-deps"]);
    job.env("RUSTDOCFLAGS", "-D warnings").succeed().map(|_| ())
}
