//! The whole suite: every step with its time, up to the first that fails.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::setup::Background;
use crate::{conformance, deny, fuzz, page, peers, say, tidy};

/// A step: its name, the command that repeats it, whether it needs the tools below `.tools/`, what
/// it does.
struct Step {
    name: &'static str,
    repeat: &'static str,
    needs_tools: bool,
    run: fn(&Repo, &Step) -> Result<(), Failure>,
}

/// One after the other, the cheap ones first. None needs the tools below `.tools/`, which are
/// installed meanwhile.
const FIRST: &[Step] = &[
    Step { name: "fmt", repeat: "cargo xtask test fmt", needs_tools: false, run: |repo, _| fmt(repo) },
    Step { name: "tidy", repeat: "cargo xtask tidy", needs_tools: false, run: |repo, _| tidy::check(repo) },
    Step { name: "deny", repeat: "cargo xtask deny", needs_tools: false, run: |repo, _| deny::check(repo) },
    Step {
        name: "clippy",
        repeat: "cargo clippy --quiet --workspace --all-targets -- -D warnings",
        needs_tools: false,
        run: typed,
    },
    Step {
        name: "test",
        repeat: "PROPTEST_RNG_SEED=1 cargo test --quiet --workspace",
        needs_tools: false,
        run: |repo, _| test(repo),
    },
];

/// Side by side, after the tools are there: first what needs the processors, and then what waits
/// for other people's programs most of the time. Those have deadlines and may miss one here, so
/// what fails among them is tried a second time.
const SIDE_BY_SIDE: [&[Step]; 2] = [
    &[
        Step {
            name: "simulation",
            repeat: "OVERT_CASES=10000 cargo test --quiet --workspace --test sim",
            needs_tools: false,
            run: |repo, _| simulation(repo),
        },
        Step {
            name: "doc",
            repeat: "RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps",
            needs_tools: false,
            run: |repo, _| doc(repo),
        },
        Step {
            name: "fuzz",
            repeat: "cargo xtask fuzz",
            needs_tools: false,
            run: |repo, _| fuzz::check(repo),
        },
    ],
    &[
        Step {
            name: "conformance",
            repeat: "cargo xtask conformance",
            needs_tools: true,
            run: |repo, _| conformance::run(repo, &[]),
        },
        Step {
            name: "browser",
            repeat: "cargo xtask browser",
            needs_tools: true,
            run: |repo, _| page::browse(repo, &[]),
        },
        Step {
            name: "peers",
            repeat: "cargo xtask peers",
            needs_tools: true,
            run: |repo, _| peers::run(repo, &[]),
        },
    ],
];

/// Takes the names of steps, to run only those.
pub(crate) fn run(repo: &Repo, names: &[String]) -> Result<(), Failure> {
    let known: Vec<&str> =
        FIRST.iter().chain(SIDE_BY_SIDE.into_iter().flatten()).map(|step| step.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(
            Failure::new(format!("there is no step `{name}`")).hint(format!("steps: {}", known.join(", ")))
        );
    }
    let chosen = |steps: &'static [Step]| -> Vec<&'static Step> {
        steps.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect()
    };
    let side_by_side = SIDE_BY_SIDE.map(chosen);
    let needs_tools = side_by_side.iter().flatten().any(|step| step.needs_tools);
    let tools = if needs_tools { Some(Background::start(repo)) } else { None };
    let suite = Arc::new(Suite { repo: repo.clone(), started: Instant::now(), passed: AtomicUsize::new(0) });
    suite.one_by_one(&chosen(FIRST))?;
    if let Some(tools) = tools {
        tools.finish()?;
    }
    suite.side_by_side(side_by_side)?;
    say::step("all", "ok", suite.started.elapsed(), "");
    say::line(format!("{} passed, 0 failed", suite.passed.load(Ordering::Relaxed)));
    Ok(())
}

/// A run of steps, and how many passed so far.
struct Suite {
    repo: Repo,
    started: Instant,
    passed: AtomicUsize,
}

impl Suite {
    fn one_by_one(&self, steps: &[&Step]) -> Result<(), Failure> {
        steps.iter().try_for_each(|step| self.pass(step))
    }

    /// Each list in a thread of its own, up to the first failure. It ends this program, and with it
    /// everything that the other threads started.
    fn side_by_side(self: &Arc<Self>, lists: [Vec<&'static Step>; 2]) -> Result<(), Failure> {
        let (sender, results) = mpsc::channel();
        for list in lists {
            let (suite, sender) = (self.clone(), sender.clone());
            // Nobody listens any more after a failure.
            std::thread::spawn(move || drop(sender.send(suite.one_by_one(&list))));
        }
        drop(sender);
        let ended: Vec<()> = results.iter().take(2).collect::<Result<_, _>>()?;
        match ended.len() {
            2 => Ok(()),
            _ => Err(Failure::new("a step panicked; see above")),
        }
    }

    fn pass(&self, step: &Step) -> Result<(), Failure> {
        let started = Instant::now();
        (step.run)(&self.repo, step).map_err(|failure| {
            say::step(step.name, "FAILED", started.elapsed(), "");
            say::line(format!("{} passed, 1 failed", self.passed.load(Ordering::Relaxed)));
            failure.hint(format!("repeat it with `{}`", step.repeat))
        })?;
        self.passed.fetch_add(1, Ordering::Relaxed);
        say::step(step.name, "ok", started.elapsed(), "");
        Ok(())
    }
}

/// A step that is nothing but its command.
fn typed(repo: &Repo, step: &Step) -> Result<(), Failure> {
    let words: Vec<&str> = step.repeat.split(' ').skip(1).collect();
    Job::cargo(repo, step.name, &words).succeed().map(|_| ())
}

/// The main workspace, and those that are kept apart from it.
fn fmt(repo: &Repo) -> Result<(), Failure> {
    ["", "bench/echo-rmcp", "fuzz"].iter().try_for_each(|dir| {
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
