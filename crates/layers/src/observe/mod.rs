//! Shows conversations to observers: logs, traces, metrics. It knows nothing of files, networks or
//! formats. It changes nothing except the `traceparent` that the server receives, and that only if
//! spans are recorded.
mod observer; // the interface of an observer
mod layer; // the outermost handler, which sees what a client sends
mod sink; // the sink, which sees what the server sends to the client
mod observers; // all observers and their needs
mod call; // what observers see of a request or notification
mod span; // a request's place in a trace

pub use call::{Call, Details, Direction, Target};
pub use layer::{Observe, observed};
pub use observer::{End, Observer, ObserverNeeds, Outcome, Text};
pub use span::Span;
