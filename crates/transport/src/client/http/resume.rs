//! When to resume a broken stream: at the server's requested time, or after growing pauses. Pure.
use std::time::Duration;

use overt_wire::frame::Event;

/// The state that is needed to resume a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct ResumePoint {
    last_event_id: Option<String>,
    /// The time that the server requested with `retry`.
    requested_pause: Option<Duration>,
    /// Attempts since the last event.
    fruitless: u32,
}

/// The first pause if the server requested none. It doubles from there.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A stream that brings nothing this many times in a row is given up.
const MAX_FRUITLESS: u32 = 6;

impl ResumePoint {
    /// Notes an event, whether it carries a message or not.
    pub(super) fn note(&mut self, event: &Event) {
        self.fruitless = 0;
        if let Some(id) = &event.id {
            // An empty id resets the last event id.
            self.last_event_id = Some(id.clone()).filter(|id| !id.is_empty());
        }
        if let Some(retry) = event.retry {
            self.requested_pause = Some(Duration::from_millis(retry));
        }
    }

    /// Notes that the stream was open for a good while, even if it brought nothing.
    pub(super) fn lasted(&mut self) {
        self.fruitless = 0;
    }

    /// The event id after which to resume, if the server sent one.
    pub(super) fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// The pause that the server requested.
    pub(super) fn requested_pause(&self) -> Option<Duration> {
        self.requested_pause
    }

    /// How long to wait before the next attempt; `None` if there should be none.
    pub(super) fn next_pause(&mut self) -> Option<Duration> {
        if self.fruitless >= MAX_FRUITLESS {
            return None;
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << self.fruitless).min(LONGEST_PAUSE);
        let pause = match self.requested_pause {
            // The requested pause is the server's minimum. The first attempt uses it exactly.
            Some(requested_pause) if self.fruitless == 0 => requested_pause,
            Some(requested_pause) => requested_pause.max(doubled),
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
