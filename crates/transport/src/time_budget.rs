//! Runs work within a budget of time that does not shrink while a person decides.
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use overt_wire::DeadlineControl;
use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until};

/// How long work may take, and for how long in all its deadline may be paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBudget {
    pub work: Duration,
    /// Counts all pauses together. When it is used up, the budget shrinks again.
    pub longest_pause: Duration,
}

/// The work did not end within its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the deadline has passed")]
pub struct DeadlineExceeded;

/// The time that one piece of work has taken so far.
struct Meter {
    budget: TimeBudget,
    started: Instant,
    /// Length of the pauses that are over.
    paused: Duration,
    paused_since: Option<Instant>,
}

/// A timer can't be set to the end of time.
const FAR_AWAY: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

// === impl TimeBudget ===

impl TimeBudget {
    /// For work that ends when somebody ends it.
    pub const UNLIMITED: Self = Self::without_pauses(Duration::MAX);

    /// A budget that no pause extends.
    pub const fn without_pauses(work: Duration) -> Self {
        Self { work, longest_pause: Duration::ZERO }
    }

    /// Runs `work` until it is done or its budget is used up. The time in which `deadline` is paused does not count.
    pub async fn run<T>(
        self,
        deadline: &DeadlineControl,
        work: impl Future<Output = T>,
    ) -> Result<T, DeadlineExceeded> {
        let mut meter =
            Meter { budget: self, started: Instant::now(), paused: Duration::ZERO, paused_since: None };
        let mut pauses = deadline.watch();
        let mut work = pin!(work);
        let mut timer = pin!(sleep_until(meter.expiry()));
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            meter.set_paused(pauses.poll_paused(context), Instant::now());
            if timer.deadline() != meter.expiry() {
                timer.as_mut().reset(meter.expiry());
            }
            // Work that never yields uses up the scheduler's allowance, and the timer must fire all the same.
            Pin::new(&mut unconstrained(timer.as_mut())).poll(context).map(|()| Err(DeadlineExceeded))
        })
        .await
    }
}

// === impl Meter ===

impl Meter {
    fn set_paused(&mut self, is_paused: bool, now: Instant) {
        match (is_paused, self.paused_since) {
            (true, None) => self.paused_since = Some(now),
            (false, Some(since)) => {
                self.paused += now.saturating_duration_since(since);
                self.paused_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// When the budget is used up if nothing changes.
    fn expiry(&self) -> Instant {
        let longest = self.budget.longest_pause;
        let paused = if self.paused_since.is_some() { longest } else { self.paused.min(longest) };
        let total = self.budget.work.saturating_add(paused).min(FAR_AWAY);
        self.started + total
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const BUDGET: TimeBudget =
        TimeBudget { work: Duration::from_secs(10), longest_pause: Duration::from_secs(1000) };

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
            // What was used before the pause still counts.
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
        // Many pauses together are not longer than one may be.
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
        let budget = TimeBudget { work: Duration::MAX, longest_pause: Duration::MAX };
        let deadline = DeadlineControl::default();
        let _person = deadline.pause();
        assert_eq!(budget.run(&deadline, sleep(seconds(1))).await, Ok(()));
    }
}
