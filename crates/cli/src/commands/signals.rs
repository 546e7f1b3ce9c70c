//! Ctrl-C, and other signals that ask the program to end.
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::error::{CommandError, ErrorKind};

/// The signals that interrupt a command. Once this exists, they no longer kill the process.
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn interrupted(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// The error for Ctrl-C at a question, or a signal that arrives there. Nothing was changed, because
/// commands make changes only after their last question.
pub(super) fn interrupted() -> CommandError {
    CommandError::new(ErrorKind::Interrupted, "interrupted; nothing was changed")
}

/// Shows a question and waits for what `read` returns. Returns `None` if a signal comes first.
///
/// `read` runs on its own thread, which lives until the program ends, because a read of a terminal
/// can't be cancelled. Without this function a signal would have no effect at a question: handlers
/// that an earlier conversation with a server installed stay installed.
pub(super) fn read_unless_interrupted<T: Send + 'static>(
    show: impl FnOnce(),
    read: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<Option<T>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        show();
        let (sender, value) = oneshot::channel();
        std::thread::Builder::new().name("question".to_owned()).spawn(move || sender.send(read()))?;
        tokio::select! {
            value = value => value.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into())).map(Some),
            () = signals.interrupted() => Ok(None),
        }
    })
}
