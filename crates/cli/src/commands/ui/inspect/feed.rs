//! The events that the page is told as they happen. A page that connects later gets the earlier
//! messages that are still kept.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use overt_transport::http::{SiteContent, SiteReply};
use overt_wire::frame::{Event, write_event};
use overt_wire::json::{JsonBuf, Object};
use tokio::sync::{broadcast, mpsc};

/// How many events a page may be behind. A page that is further behind must connect again.
const MOST_BEHIND: usize = 1_024;
/// How many messages are kept for pages that connect later.
const MOST_KEPT: usize = 500;
const MOST_KEPT_BYTES: usize = 8 << 20;
/// Events that are buffered for one page.
const MOST_EVENTS: usize = 64;

#[derive(Debug)]
pub(super) struct Feed {
    send: broadcast::Sender<Arc<str>>,
    kept: Mutex<KeptEvents>,
}

#[derive(Debug, Default)]
struct KeptEvents {
    events: VecDeque<Arc<str>>,
    bytes: usize,
}

/// Whether we sent a message or received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Sent,
    Received,
}

impl Default for Feed {
    fn default() -> Self {
        Self { send: broadcast::Sender::new(MOST_BEHIND), kept: Mutex::default() }
    }
}

impl Feed {
    /// Sends a message of the conversation to all pages, and keeps it for later pages.
    pub(super) fn message(&self, direction: Direction, message: &JsonBuf) {
        let direction = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
        };
        let data = Object::new()
            .string("direction", direction)
            .string("at", &jiff::Timestamp::now().to_string())
            .json("message", message.as_json())
            .finish();
        let event = event("message", &data);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += event.len();
        kept.events.push_back(Arc::clone(&event));
        while kept.events.len() > MOST_KEPT || (kept.bytes > MOST_KEPT_BYTES && kept.events.len() > 1) {
            let oldest = kept.events.pop_front();
            kept.bytes -= oldest.map_or(0, |event| event.len());
        }
        // Send under the lock, so that no new page misses a message or gets it twice.
        let _ = self.send.send(event);
    }

    /// Sends an event that is only valid at this moment and is not kept.
    pub(super) fn tell(&self, name: &str, data: &JsonBuf) {
        let _ = self.send.send(event(name, data));
    }

    /// Returns the event stream of one page. `first` are events about the current state.
    pub(super) fn stream(&self, first: Vec<(&'static str, JsonBuf)>) -> SiteReply {
        let (mut news, kept) = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            (self.send.subscribe(), kept.events.iter().cloned().collect::<Vec<_>>())
        };
        let (send, events) = mpsc::channel(MOST_EVENTS);
        let first = first.into_iter().map(|(name, data)| event(name, &data));
        let begin: Vec<Arc<str>> = kept.into_iter().chain(first).collect();
        tokio::spawn(async move {
            for event in begin {
                if send.send(event.to_string()).await.is_err() {
                    return;
                }
            }
            loop {
                tokio::select! {
                    // A page that is too far behind must connect again.
                    event = news.recv() => match event {
                        Ok(event) => if send.send(event.to_string()).await.is_err() { return },
                        Err(_) => return,
                    },
                    () = send.closed() => return,
                }
            }
        });
        SiteReply { status: 200, content_type: "text/event-stream", content: SiteContent::Events(events) }
    }
}

fn event(name: &str, data: &JsonBuf) -> Arc<str> {
    let data = data.as_json().as_str().to_owned();
    write_event(&Event { name: name.to_owned(), data, ..Event::default() }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_later_page_gets_the_newest_messages_and_what_follows() {
        let feed = Feed::default();
        for number in 0..MOST_KEPT + 3 {
            feed.message(Direction::Sent, &Object::new().value("id", &number).finish());
        }
        let SiteContent::Events(mut events) = feed.stream(Vec::new()).content else { panic!("no events") };
        feed.tell("state", &JsonBuf::empty_object());
        for number in 3..MOST_KEPT + 3 {
            let event = events.recv().await.unwrap();
            assert!(event.contains(&format!(r#"{{"id":{number}}}"#)), "{event}");
        }
        assert!(events.recv().await.unwrap().starts_with("event: state\n"));
    }
}
