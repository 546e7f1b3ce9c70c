//! Generates plans and plays them. A plan that fails is shrunk as far as possible.
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::place::Ground;
use super::plan::{Event, JournalPlace, Op, Plan, Saved, Step, WriteMode, plans};
use super::play::play;

/// Plans of a usual run, which takes a few seconds.
const USUAL: u32 = 150;

/// Reads a number from the environment, for longer runs and for other plans.
#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
pub(super) fn number(variable: &str, usual: u32) -> u32 {
    let Ok(text) = std::env::var(variable) else { return usual };
    text.parse().unwrap_or_else(|_| panic!("`{variable}` must be a number, but is `{text}`"))
}

/// Runs the same plans each time. `OVERT_CASES` sets their number, and `OVERT_SEED` selects others.
#[test]
fn what_is_done_is_what_the_model_says() {
    run_plans(number("OVERT_CASES", USUAL), &plans(), Ground::Plain);
}

pub(super) fn run_plans(cases: u32, plans: &impl Strategy<Value = Plan>, ground: Ground) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let seed = u64::from(number("OVERT_SEED", 0)).to_le_bytes();
    let seed: Vec<u8> = seed.iter().copied().cycle().take(32).collect();
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let done = runner.run(plans, |plan| play(&plan, ground).map_err(TestCaseError::fail));
    match done {
        Ok(()) => {}
        Err(TestError::Fail(reason, plan)) => {
            panic!("{reason}\nthe shortest plan, on {ground:?}:\n{plan:#?}")
        }
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// Another program saves a file at every moment of a deletion whose journal is on another file
/// system, so that the deleted entry is copied first.
#[test]
fn what_is_saved_while_it_is_deleted_is_not_lost() {
    let write = |path| Step::Call(Op::Write(path, WriteMode::Create), Event::Nothing);
    for calls in 0..40 {
        for (mut steps, deleted, saved) in [
            (vec![write("a")], "a", Saved::Same),
            (vec![Step::Call(Op::Mkdir("d"), Event::Nothing), write("d/a")], "d", Saved::Other("d/a")),
        ] {
            steps.push(Step::Call(Op::Delete(deleted), Event::Saved(calls, saved)));
            let plan = Plan { journal: JournalPlace::Elsewhere, steps };
            play(&plan, Ground::Plain).unwrap_or_else(|why| panic!("at call {calls}: {why}"));
        }
    }
}
