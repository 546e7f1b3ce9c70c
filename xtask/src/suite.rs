//! Runs the whole suite and prints every step with its time, up to the first failure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::setup::Background;
use crate::{call_path, conformance, deny, fuzz, page, peers, rustdoc, say, shared_work, tidy};

/// A step: its name, the command that repeats it, whether it needs the tools below `.tools/`, and
/// its function.
struct Step {
    name: &'static str,
    repeat: &'static str,
    needs_tools: bool,
    run: fn(&Repo, &Step) -> Result<(), Failure>,
}

/// Steps that run one after the other, the cheap ones first. None of them needs the tools below
/// `.tools/`, which are installed meanwhile.
const FIRST: &[Step] = &[
    Step { name: "fmt", repeat: "cargo xtask test fmt", needs_tools: false, run: |repo, _| fmt(repo) },
    Step { name: "tidy", repeat: "cargo xtask tidy", needs_tools: false, run: |repo, _| tidy::check(repo) },
    Step { name: "deny", repeat: "cargo xtask deny", needs_tools: false, run: |repo, _| deny::check(repo) },
    Step {
        name: "clippy",
        repeat: "cargo clippy --quiet --workspace --all-targets -- -D warnings",
        needs_tools: false,
        run: |repo, _| clippy(repo),
    },
    Step {
        name: "test",
        repeat: "PROPTEST_RNG_SEED=1 cargo test --quiet --workspace",
        needs_tools: false,
        run: |repo, _| test(repo),
    },
    Step {
        name: "call-path",
        repeat: "cargo xtask call-path",
        needs_tools: false,
        run: |repo, _| call_path::check(repo, &[]),
    },
];

/// Steps that run two at a time after the tools are installed, the long ones first. Those with
/// other people's programs have deadlines and may miss one here, so they run their failed parts a
/// second time.
const TWO_AT_A_TIME: &[Step] = &[
    Step { name: "fuzz", repeat: "cargo xtask fuzz", needs_tools: false, run: |repo, _| fuzz::check(repo) },
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
    Step {
        name: "simulation",
        repeat: "OVERT_CASES=10000 cargo test --quiet --workspace --test sim",
        needs_tools: false,
        run: |repo, _| simulation(repo),
    },
];

/// Runs the suite. Takes names of steps, to run only those.
pub(crate) fn run(repo: &Repo, names: &[String]) -> Result<(), Failure> {
    let known: Vec<&str> = FIRST.iter().chain(TWO_AT_A_TIME).map(|step| step.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(
            Failure::new(format!("there is no step `{name}`")).hint(format!("steps: {}", known.join(", ")))
        );
    }
    let chosen = |steps: &'static [Step]| -> Vec<&'static Step> {
        steps.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect()
    };
    let (first, two_at_a_time) = (chosen(FIRST), chosen(TWO_AT_A_TIME));
    let needs_tools = two_at_a_time.iter().any(|step| step.needs_tools);
    let tools = if needs_tools { Some(Background::start(repo)) } else { None };
    let suite = Arc::new(Suite { repo: repo.clone(), started: Instant::now(), passed: AtomicUsize::new(0) });
    first.iter().try_for_each(|step| suite.pass(step))?;
    if let Some(tools) = tools {
        tools.finish()?;
    }
    suite.two_at_a_time(two_at_a_time)?;
    say::step("all", "ok", suite.started.elapsed(), "");
    say::line(format!("{} passed, 0 failed", suite.passed.load(Ordering::Relaxed)));
    Ok(())
}

/// A run of the suite, and the number of steps that passed so far.
struct Suite {
    repo: Repo,
    started: Instant,
    passed: AtomicUsize,
}

impl Suite {
    /// Runs the steps up to the first failure. After a failure this program ends, and kills
    /// everything that the other step started.
    fn two_at_a_time(self: &Arc<Self>, steps: Vec<&'static Step>) -> Result<(), Failure> {
        let count = steps.len();
        let steps = Arc::new(Mutex::new(steps.into_iter()));
        let (sender, results) = mpsc::channel();
        for _ in 0..2 {
            let (suite, steps, sender) = (self.clone(), steps.clone(), sender.clone());
            let next = move || steps.lock().unwrap_or_else(PoisonError::into_inner).next();
            // After a failure nothing receives the results any more.
            std::thread::spawn(move || {
                std::iter::from_fn(next).try_for_each(|step| sender.send(suite.pass(step)))
            });
        }
        drop(sender);
        let passed: Vec<()> = results.iter().collect::<Result<_, _>>()?;
        match passed.len() == count {
            true => Ok(()),
            false => Err(Failure::new("a step panicked; see above")),
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

/// Checks the main workspace, and those that are separate from it.
fn fmt(repo: &Repo) -> Result<(), Failure> {
    ["", "bench/echo-rmcp", "fuzz"].iter().try_for_each(|dir| {
        let job = Job::cargo(repo, "fmt", &["fmt", "--check"]).dir(repo.root.join(dir));
        job.succeed().map(|_| ())
    })
}

/// Builds everything that the next steps run, with clippy's warnings as errors.
fn clippy(repo: &Repo) -> Result<(), Failure> {
    Job::linting_cargo(repo, "clippy", &["test", "--quiet", "--workspace", "--no-run"]).succeed().map(|_| ())
}

/// Runs all tests. A fixed seed makes sure that a failure comes from the tested change and can be
/// repeated; plain `cargo test` uses new seeds. There are two test threads for each processor,
/// because many tests wait for programs that they start. Unit tests, which wait for nothing, run
/// beside those.
fn test(repo: &Repo) -> Result<(), Failure> {
    let threads = 2 * shared_work::processors();
    let cargo = |(name, words): &(&str, &[&str])| {
        let job = Job::linting_cargo(repo, name, &["test", "--quiet", "--workspace"]);
        let job = job.args(words.iter().copied()).env("PROPTEST_RNG_SEED", "1");
        let job = rustdoc::checking(repo, job.env("RUST_TEST_THREADS", threads.to_string()))?;
        job.succeed().map(|_| ())
    };
    let kinds: [(&str, &[&str]); 3] =
        [("test-whole", &["--test", "*"]), ("test-parts", &["--lib", "--bins"]), ("test-doc", &["--doc"])];
    shared_work::each(&kinds, 2, cargo).into_iter().collect()
}

fn simulation(repo: &Repo) -> Result<(), Failure> {
    let job = Job::linting_cargo(repo, "simulation", &["test", "--quiet", "--workspace", "--test", "sim"]);
    job.env("OVERT_CASES", "10000").succeed().map(|_| ())
}
