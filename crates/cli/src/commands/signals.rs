//! Ctrl-C, and other signals that ask us to end.
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::listener::QuestionTerminal;

/// The signals that interrupt. From the first use on they no longer end the process by themselves.
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

    /// Waits for a signal that means the whole command. Ctrl-C while a question is open means the
    /// question.
    pub(super) async fn interrupted(&mut self, terminal: Option<&QuestionTerminal>) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => {
                    if !terminal.is_some_and(QuestionTerminal::call_off) {
                        return;
                    }
                }
                _ = self.terminate.recv() => return,
                _ = self.hang_up.recv() => return,
            }
        }
    }
}
