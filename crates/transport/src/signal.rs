//! The signals that ask a server to stop.
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Completes when the process is told to stop: SIGTERM, SIGINT or SIGHUP.
pub fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}
