//! The signals that stop a server, and one that must not stop it.
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// The effect of SIGHUP, which a server gets when its terminal is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HangUp {
    Stops,
    /// SIGHUP does not stop this server, because it has another meaning there.
    GoesOn,
}

/// Completes when SIGTERM, SIGINT or SIGHUP tells the process to stop.
pub fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    stop_requested_where(HangUp::Stops)
}

/// Completes when a signal tells the process to stop. `hang_up` says whether SIGHUP does.
pub fn stop_requested_where(hang_up: HangUp) -> io::Result<impl Future<Output = ()>> {
    survive_large_files()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hung_up = match hang_up {
        HangUp::Stops => Some(signal(SignalKind::hangup())?),
        HangUp::GoesOn => None,
    };
    Ok(async move {
        let hung_up = async {
            match &mut hung_up {
                Some(hung_up) => _ = hung_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = hung_up => {}
        }
    })
}

/// Makes a write beyond the file size limit fail instead of killing the process. Children do not
/// inherit a handler, unlike an ignored signal.
fn survive_large_files() -> io::Result<()> {
    // The handler stays installed after this receiver is dropped.
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}
