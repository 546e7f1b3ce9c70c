//! An in-memory connection, for tests and for a server and its client in one process.
use std::sync::Arc;

use overt_wire::Handler;
use tokio::io::{DuplexStream, duplex};

use crate::limits::Limits;
use crate::stream::{self, StreamEnd};

/// Serves `handler` in a task and returns the client's end. Closing that end stops the server.
pub fn connect(
    handler: Arc<dyn Handler>,
    limits: Limits,
) -> (DuplexStream, tokio::task::JoinHandle<StreamEnd>) {
    let (ours, theirs) = duplex(64 << 10);
    let (reader, writer) = tokio::io::split(ours);
    let served = tokio::spawn(stream::serve(handler, reader, writer, limits, std::future::pending()));
    (theirs, served)
}
