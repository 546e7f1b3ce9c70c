//! The signals that ask a server to stop, and the one that must not.
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// What a server does when its terminal is gone or when it gets SIGHUP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HangUp {
    Stops,
    /// It means something else to this server.
    GoesOn,
}

/// Completes when the process is told to stop: SIGTERM, SIGINT or SIGHUP.
pub fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    stop_requested_where(HangUp::Stops)
}

/// Completes when the process is told to stop. `hang_up` says whether SIGHUP stops it.
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

/// Makes a write beyond the file size limit fail instead of ending the process. A handler, unlike an ignored signal, is
/// not inherited by children.
fn survive_large_files() -> io::Result<()> {
    // The handler stays when what it wakes is gone.
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}
