//! Shows conversations to observers: logs, traces, metrics. Knows nothing of files, networks or
//! formats, and changes nothing but the `traceparent` that goes on to the server, and that only
//! where spans are recorded.
mod observer; // what an observer sees
mod layer; // the outermost handler: every request and notification of a client
mod sink; // what goes the other way
mod observers; // all observers, and what they need
mod call; // one request or notification as it is seen
mod span; // its place in a trace

pub use call::{Call, Details, Direction, Target};
pub use layer::{Observe, observed};
pub use observer::{End, Observer, ObserverNeeds, Outcome, Text};
pub use span::Span;
