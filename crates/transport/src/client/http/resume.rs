//! When to come back for a stream that broke: the server's wish, or longer and longer pauses. Pure.
use std::time::Duration;

use overt_wire::frame::Event;

/// What is remembered of a stream to go on with it.
#[derive(Debug, Clone, Default)]
pub(super) struct ResumePoint {
    last_event_id: Option<String>,
    /// What the server asked for with `retry`.
    wish: Option<Duration>,
    /// Attempts since the last event.
    fruitless: u32,
}

/// The first pause when the server wishes none; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A stream that gives nothing so many times in a row is given up.
const MAX_FRUITLESS: u32 = 6;

impl ResumePoint {
    /// Takes note of an event, whether it carries a message or not.
    pub(super) fn note(&mut self, event: &Event) {
        self.fruitless = 0;
        if let Some(id) = &event.id {
            // An empty id takes back what was known.
            self.last_event_id = Some(id.clone()).filter(|id| !id.is_empty());
        }
        if let Some(retry) = event.retry {
            self.wish = Some(Duration::from_millis(retry));
        }
    }

    /// The stream was open for a good while, even if it brought nothing.
    pub(super) fn lasted(&mut self) {
        self.fruitless = 0;
    }

    /// Where to go on, if the server said so.
    pub(super) fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// The pause that the server has asked for.
    pub(super) fn wish(&self) -> Option<Duration> {
        self.wish
    }

    /// How long to wait before the next attempt; nothing when there should be none.
    pub(super) fn next_pause(&mut self) -> Option<Duration> {
        if self.fruitless >= MAX_FRUITLESS {
            return None;
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << self.fruitless).min(LONGEST_PAUSE);
        let pause = match self.wish {
            // The wish is what the server can bear at least; it holds for the first attempt
            // exactly.
            Some(wish) if self.fruitless == 0 => wish,
            Some(wish) => wish.max(doubled),
            None => doubled,
        };
        self.fruitless += 1;
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(resume: &mut ResumePoint) -> Vec<u64> {
        std::iter::from_fn(|| resume.next_pause()).map(|pause| pause.as_millis() as u64).collect()
    }

    #[test]
    fn pauses_double_and_end() {
        let mut resume = ResumePoint::default();
        assert_eq!(pauses(&mut resume), [1000, 2000, 4000, 8000, 16000, 30000]);
        resume.note(&Event { id: Some("7".into()), retry: Some(500), ..Event::default() });
        assert_eq!(resume.last_event_id(), Some("7"));
        assert_eq!(pauses(&mut resume)[..2], [500, 2000]);
        resume.note(&Event { id: Some(String::new()), ..Event::default() });
        assert_eq!(resume.last_event_id(), None);
    }
}
