//! Breaks each promise on purpose, because a simulation that finds no fault would prove nothing.
use super::promise::Promise;
use super::schedule::{Sabotage, Schedule};
use super::seeds::{folder, run_schedule};

/// The most schedules that are tried.
const SCHEDULES: u64 = 100;

#[test]
fn a_broken_promise_is_found() {
    let folder = folder();
    for (sabotage, promise) in [
        (Sabotage::SendTwice, Promise::SentOnce),
        (Sabotage::DropAnswer, Promise::OneAnswer),
        (Sabotage::AnswerTwice, Promise::OneAnswer),
        (Sabotage::SwapAnswers, Promise::RightClient),
        (Sabotage::RecordLate, Promise::IntentFirst),
        (Sabotage::LoseOutcome, Promise::OutcomeRecorded),
        (Sabotage::SplitState, Promise::OneState),
        (Sabotage::ClaimNotExecuted, Promise::ExecutedIsTrue),
        (Sabotage::StayDown, Promise::Recovers),
        (Sabotage::LeaveTask, Promise::NothingIsLeft),
    ] {
        let breaks = |schedule: Schedule| {
            let report = run_schedule(schedule, folder.path(), false);
            report.violations.iter().any(|violation| violation.promise == promise)
        };
        // The sabotage must be the cause: without it, the same schedule keeps the promise.
        let is_found = (0..SCHEDULES).any(|seed| {
            let sabotaged = Schedule { sabotage: Some(sabotage), ..Schedule::new(seed) };
            breaks(sabotaged) && !breaks(Schedule::new(seed))
        });
        assert!(is_found, "{sabotage:?} breaks {promise:?}, and no schedule of {SCHEDULES} found it");
    }
}
