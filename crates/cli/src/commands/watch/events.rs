//! Events of the inbox: bytes from the terminal, and signals that ask the program to end.
use std::io::{self, Read as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::commands::session::setup_failed;
use crate::commands::signals::Signals;
use crate::error::CommandError;

/// An event that the loop handles.
#[derive(Debug)]
pub(super) enum Event {
    Typed(Vec<u8>),
    /// The terminal was closed, or its input ended.
    Closed,
    /// A signal asked the program to end.
    Ended,
}

/// Receives events from threads that run until the process ends.
#[derive(Debug)]
pub(super) struct Events(Receiver<Event>);

/// Events that are buffered. Keys that are typed faster wait.
const MOST_EVENTS: usize = 64;

impl Events {
    pub(super) fn start() -> Result<Self, CommandError> {
        let (send, receive) = sync_channel(MOST_EVENTS);
        let keys = send.clone();
        let spawned = std::thread::Builder::new().name("keys".to_owned()).spawn(move || read_keys(&keys));
        spawned.map_err(setup_failed("the thread that reads keys"))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(setup_failed("the runtime"))?;
        let entered = runtime.enter();
        let mut signals = Signals::new().map_err(setup_failed("the signals"))?;
        drop(entered);
        let waits = move || {
            runtime.block_on(signals.interrupted());
            // Sending fails if the program is already ending.
            let _ = send.send(Event::Ended);
        };
        let spawned = std::thread::Builder::new().name("signals".to_owned()).spawn(waits);
        spawned.map_err(setup_failed("the thread that waits for signals"))?;
        Ok(Self(receive))
    }

    /// Returns the next event, or `None` if no event comes in time.
    pub(super) fn next(&self, patience: Duration) -> Option<Event> {
        match self.0.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::Closed),
        }
    }
}

fn read_keys(send: &SyncSender<Event>) {
    let mut buffer = [0; 1024];
    loop {
        let event = match io::stdin().lock().read(&mut buffer) {
            Ok(0) => Event::Closed,
            Ok(many) => Event::Typed(buffer[..many].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Event::Closed,
        };
        let is_last = matches!(event, Event::Closed);
        if send.send(event).is_err() || is_last {
            return;
        }
    }
}
