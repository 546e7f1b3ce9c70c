//! Reads a response body as events, piece by piece, within the limit.
use std::collections::VecDeque;

use overt_wire::frame::{Event, SseFramer, SseTooLong};

use super::pool::{Answer, Body};

/// The events of one response.
pub(super) struct Events {
    body: Body,
    framer: SseFramer,
    ready: VecDeque<Event>,
}

/// Why no more events come.
#[derive(Debug)]
pub(super) enum End {
    /// The server closed the stream properly.
    Closed,
    Broken(hyper::Error),
    TooLong(SseTooLong),
}

impl Events {
    pub(super) fn of(answer: Answer, limit: usize) -> Self {
        Self { body: answer.body, framer: SseFramer::with_limit(limit), ready: VecDeque::new() }
    }

    /// The next event. Cancel-safe: dropping the future loses no event.
    pub(super) async fn next(&mut self) -> Result<Event, End> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(event);
            }
            match self.body.chunk().await {
                Ok(Some(chunk)) => self.ready.extend(self.framer.push(&chunk).map_err(End::TooLong)?),
                Ok(None) => return Err(End::Closed),
                Err(error) => return Err(End::Broken(error)),
            }
        }
    }

    /// Called when the last event of interest was read, so that the connection can be reused.
    pub(super) fn finish(self) {
        self.body.finish();
    }
}
