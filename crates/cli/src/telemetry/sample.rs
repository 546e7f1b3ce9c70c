//! Sample calls for the tests of the observers.
use std::time::{Duration, Instant, SystemTime};

use overt_layers::observe::{Call, Details, Direction, End, Outcome, Span, Target};
use overt_wire::era::Version;
use overt_wire::json::Limits;
use overt_wire::{Message, Method, TraceParent};

pub(super) const SPAN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A call of the tool `echo` with everything that an observer can ask for.
pub(super) fn call(direction: Direction) -> Call {
    Call {
        direction,
        session: 7,
        version: Version::V2025_11_25,
        method: Some(Method::ToolsCall),
        started: Instant::now(),
        bytes: 100,
        details: Some(Box::new(Details {
            method: "tools/call".into(),
            id: Some(r#""a""#.into()),
            target: Some(Target::Tool("echo".into())),
        })),
        span: Some(Box::new(Span {
            trace_parent: TraceParent::parse(SPAN).expect("a good example"),
            parent: Some([0x11; 8]),
            trace_state: Some("a=b".into()),
            started: SystemTime::UNIX_EPOCH + Duration::from_secs(1),
        })),
    }
}

pub(super) fn end(outcome: Outcome, answer: Option<&Message>) -> End<'_> {
    End { outcome, took: Duration::from_millis(3), answer }
}

pub(super) fn message(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).expect("a good example")
}
