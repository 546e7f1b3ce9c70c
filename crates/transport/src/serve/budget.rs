//! Limits how often invalid input is answered, so that two confused programs can't answer each
//! other without end.
use std::time::{Duration, Instant};

/// A token bucket: it allows a burst, then a steady rate.
#[derive(Debug)]
pub(crate) struct AnswerBudget {
    left: u32,
    refilled: Instant,
}

const BURST: u32 = 50;
const REFILL_EVERY: Duration = Duration::from_millis(100);

impl AnswerBudget {
    pub(crate) fn new() -> Self {
        Self { left: BURST, refilled: Instant::now() }
    }

    /// Takes one token. Returns whether one more answer may be sent.
    pub(crate) fn take(&mut self) -> bool {
        let periods = self.refilled.elapsed().as_millis() / REFILL_EVERY.as_millis();
        if periods > 0 {
            self.left = self.left.saturating_add(periods.min(BURST as u128) as u32).min(BURST);
            self.refilled = Instant::now();
        }
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpc_01_a_flood_is_answered_only_so_often() {
        let mut budget = AnswerBudget::new();
        let answered = (0..10_000).filter(|_| budget.take()).count();
        assert!((BURST as usize..BURST as usize + 20).contains(&answered), "{answered}");
    }
}
