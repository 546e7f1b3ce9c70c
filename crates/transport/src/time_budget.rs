//! Runs work within a time budget that is paused while a person decides, and that progress renews.
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use overt_wire::{DeadlineControl, DeadlineState};
use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until};

/// How long work may take, and how far its deadline may be extended and paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBudget {
    /// From the start, or from the last progress report.
    pub work: Duration,
    /// For work that reports progress, from the start. A value below `work` counts as `work`.
    pub longest_work: Duration,
    /// The sum of all pauses. When it is used up, pauses no longer stop the clock.
    pub longest_pause: Duration,
}

/// The work did not finish within its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the deadline has passed")]
pub struct DeadlineExceeded;

/// The time that one piece of work has taken so far.
struct Meter {
    budget: TimeBudget,
    started: Instant,
    /// Total length of the finished pauses.
    paused: Duration,
    paused_since: Option<Instant>,
    progress_reports: u64,
    /// The working time, without pauses, at the last progress report.
    renewed: Duration,
}

/// Timers can't be set further into the future than this, about 30 years.
const FAR_AWAY: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

// === impl TimeBudget ===

impl TimeBudget {
    /// A budget for work without a deadline of its own.
    pub const UNLIMITED: Self = Self::without_pauses(Duration::MAX);

    /// A budget that neither pauses nor progress reports extend.
    pub const fn without_pauses(work: Duration) -> Self {
        Self { work, longest_work: work, longest_pause: Duration::ZERO }
    }

    /// Runs `work` until it finishes or its budget is used up. Time in which `deadline` is paused
    /// does not count, and each progress report renews the budget.
    pub async fn run<T>(
        self,
        deadline: &DeadlineControl,
        work: impl Future<Output = T>,
    ) -> Result<T, DeadlineExceeded> {
        let mut meter = Meter::new(self, Instant::now());
        let mut watch = deadline.watch();
        let mut work = pin!(work);
        let mut timer = pin!(sleep_until(meter.expiry()));
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            meter.update(watch.poll_state(context), Instant::now());
            if timer.deadline() != meter.expiry() {
                timer.as_mut().reset(meter.expiry());
            }
            // Work that never yields uses up the scheduler's allowance, but the timer must still
            // fire.
            Pin::new(&mut unconstrained(timer.as_mut())).poll(context).map(|()| Err(DeadlineExceeded))
        })
        .await
    }
}

// === impl Meter ===

impl Meter {
    fn new(budget: TimeBudget, now: Instant) -> Self {
        let (paused, renewed) = (Duration::ZERO, Duration::ZERO);
        Self { budget, started: now, paused, paused_since: None, progress_reports: 0, renewed }
    }

    fn update(&mut self, state: DeadlineState, now: Instant) {
        match (state.is_paused, self.paused_since) {
            (true, None) => self.paused_since = Some(now),
            (false, Some(since)) => {
                self.paused += now.saturating_duration_since(since);
                self.paused_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
        if state.progress_reports != self.progress_reports {
            self.progress_reports = state.progress_reports;
            self.renewed = self.worked(now);
        }
    }

    /// How long the work has taken, without pauses.
    fn worked(&self, now: Instant) -> Duration {
        let until = self.paused_since.unwrap_or(now);
        let paused = self.paused.min(self.budget.longest_pause);
        until.saturating_duration_since(self.started).saturating_sub(paused)
    }

    /// When the budget will be used up if nothing changes.
    fn expiry(&self) -> Instant {
        let TimeBudget { work, longest_work, longest_pause } = self.budget;
        let paused = if self.paused_since.is_some() { longest_pause } else { self.paused.min(longest_pause) };
        let allowed = self.renewed.saturating_add(work).min(longest_work.max(work));
        self.started + allowed.saturating_add(paused).min(FAR_AWAY)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const BUDGET: TimeBudget = TimeBudget {
        work: Duration::from_secs(10),
        longest_work: Duration::from_secs(60),
        longest_pause: Duration::from_secs(1000),
    };

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_a_pause_does_not_use_up_the_budget() {
        let deadline = DeadlineControl::default();
        let work = async {
            let person = deadline.pause();
            sleep(BUDGET.work * 10).await;
            drop(person);
            "answer"
        };
        assert_eq!(BUDGET.run(&deadline, work).await, Ok("answer"));
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_the_budget_shrinks_again_after_a_pause() {
        let deadline = DeadlineControl::default();
        let began = Instant::now();
        let work = async {
            // The time used before the pause still counts.
            sleep(seconds(6)).await;
            let person = deadline.pause();
            sleep(seconds(100)).await;
            drop(person);
            sleep(seconds(5)).await;
        };
        assert_eq!(BUDGET.run(&deadline, work).await, Err(DeadlineExceeded));
        assert_eq!(began.elapsed().as_secs(), 110);
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_nested_pauses_are_one() {
        let deadline = DeadlineControl::default();
        let work = async {
            let outer = deadline.pause();
            sleep(seconds(20)).await;
            drop(deadline.pause());
            sleep(seconds(20)).await;
            let inner = deadline.pause();
            drop(outer);
            sleep(seconds(20)).await;
            drop(inner);
            sleep(seconds(9)).await;
        };
        assert_eq!(BUDGET.run(&deadline, work).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_a_pause_in_another_task_is_noticed() {
        let deadline = DeadlineControl::default();
        let person = {
            let deadline = deadline.clone();
            tokio::spawn(async move {
                sleep(seconds(8)).await;
                let person = deadline.pause();
                sleep(seconds(100)).await;
                drop(person);
            })
        };
        let began = Instant::now();
        assert_eq!(BUDGET.run(&deadline, std::future::pending::<()>()).await, Err(DeadlineExceeded));
        assert_eq!(began.elapsed().as_secs(), 110);
        person.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_a_pause_without_end_is_bounded() {
        let deadline = DeadlineControl::default();
        let began = Instant::now();
        let never = async {
            let _person = deadline.pause();
            std::future::pending::<()>().await;
        };
        assert_eq!(BUDGET.run(&deadline, never).await, Err(DeadlineExceeded));
        assert_eq!(began.elapsed().as_secs(), 1010);
        // The sum of many pauses has the same limit as a single pause.
        let began = Instant::now();
        let again_and_again = async {
            loop {
                let person = deadline.pause();
                sleep(seconds(99)).await;
                drop(person);
                sleep(Duration::from_millis(1)).await;
            }
        };
        assert_eq!(BUDGET.run(&deadline, again_and_again).await, Err::<(), _>(DeadlineExceeded));
        assert_eq!(began.elapsed().as_secs(), 1010);
    }

    #[tokio::test(start_paused = true)]
    async fn g_41_a_budget_without_end_is_no_panic() {
        let budget =
            TimeBudget { work: Duration::MAX, longest_work: Duration::MAX, longest_pause: Duration::MAX };
        let deadline = DeadlineControl::default();
        let _person = deadline.pause();
        assert_eq!(budget.run(&deadline, sleep(seconds(1))).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn g_47_progress_renews_the_budget_up_to_a_cap() {
        for (every, reports, ends) in [(9, 3, Ok(())), (11, 1, Err(10)), (9, u64::MAX, Err(60))] {
            let deadline = DeadlineControl::default();
            let began = Instant::now();
            let work = async {
                for _ in 0..reports {
                    sleep(seconds(every)).await;
                    deadline.report_progress();
                }
            };
            let outcome = BUDGET.run(&deadline, work).await.map_err(|_| began.elapsed().as_secs());
            assert_eq!(outcome, ends, "every {every} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn g_47_progress_in_another_task_is_noticed_and_pauses_do_not_count() {
        let deadline = DeadlineControl::default();
        let reporting = {
            let deadline = deadline.clone();
            tokio::spawn(async move {
                let person = deadline.pause();
                sleep(seconds(100)).await;
                drop(person);
                sleep(seconds(8)).await;
                deadline.report_progress();
            })
        };
        let began = Instant::now();
        assert_eq!(BUDGET.run(&deadline, std::future::pending::<()>()).await, Err(DeadlineExceeded));
        assert_eq!(began.elapsed().as_secs(), 118);
        reporting.await.unwrap();
    }
}
