//! Decides when the upstream may be tried again. Pure: callers pass the time.
use std::time::Duration;

use tokio::time::Instant;

/// The record of the upstream's failures.
#[derive(Debug)]
pub(crate) struct Health {
    /// Successive failures: refused connections, and conversations that ended soon after they
    /// began.
    failures: u32,
    not_before: Option<Instant>,
    longest: Duration,
}

/// A conversation that lasted this long does not count as a failure.
const STABLE: Duration = Duration::from_secs(10);
/// The pause after the second failure; further failures double it. There is no pause after the
/// first.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

impl Health {
    pub(crate) fn new(longest: Duration) -> Self {
        Self { failures: 0, not_before: None, longest }
    }

    /// Returns how long to wait before the next attempt.
    pub(crate) fn pause(&self, now: Instant) -> Duration {
        self.not_before.map_or(Duration::ZERO, |then| then.saturating_duration_since(now))
    }

    /// Records an attempt that failed.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let pause = match self.failures {
            0 | 1 => Duration::ZERO,
            more => FIRST_PAUSE.saturating_mul(1 << (more - 2).min(20)).min(self.longest),
        };
        self.not_before = Some(now + pause);
    }

    /// Records a conversation that ended unexpectedly after `lived`.
    pub(crate) fn lost(&mut self, now: Instant, lived: Duration) {
        if lived >= STABLE {
            self.failures = 0;
        }
        self.failed(now);
    }

    /// Records that the upstream itself asked for a pause.
    pub(crate) fn asked_for(&mut self, now: Instant, pause: Duration) {
        let until = now + pause.min(self.longest);
        self.not_before = Some(self.not_before.map_or(until, |then| then.max(until)));
    }

    /// Records an answer of the upstream, which ends all pauses.
    pub(crate) fn answered(&mut self) {
        self.failures = 0;
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_02_pauses_double_up_to_the_longest() {
        let now = Instant::now();
        let mut health = Health::new(Duration::from_secs(1));
        assert_eq!(health.pause(now), Duration::ZERO);
        let pauses: Vec<_> = (0..7)
            .map(|_| {
                health.failed(now);
                health.pause(now).as_millis()
            })
            .collect();
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1000, 1000]);
        assert_eq!(health.pause(now + Duration::from_millis(300)).as_millis(), 700);
        health.answered();
        assert_eq!(health.pause(now), Duration::ZERO);
    }

    #[test]
    fn up_02_a_long_life_makes_up_for_what_was_before() {
        let now = Instant::now();
        let mut health = Health::new(Duration::from_secs(30));
        for _ in 0..5 {
            health.lost(now, Duration::from_millis(5));
        }
        assert_eq!(health.pause(now).as_millis(), 800);
        health.lost(now, Duration::from_secs(60));
        assert_eq!(health.pause(now), Duration::ZERO);
    }
}
