//! SIGHUP reads the file of settings again. A call uses what was in force when it began; a file that can't be used changes
//! nothing (POL-16).
use std::convert::Infallible;
use std::io;

use overt_layers::Control;
use tokio::signal::unix::{SignalKind, signal};

use crate::output::Printer;
use crate::settings::ControlSources;

/// From now on SIGHUP no longer ends the process by itself.
pub(super) fn on_hang_up(
    sources: &ControlSources,
    control: Control,
    printer: &Printer,
) -> io::Result<impl Future<Output = Infallible>> {
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            if hang_up.recv().await.is_none() {
                return std::future::pending().await;
            }
            match sources.reload() {
                Ok(settings) => {
                    control.replace(settings.snapshot());
                    printer.note(&format!("the settings were read again: {}", settings.version));
                }
                Err(error) => {
                    let version = control.snapshot().version.clone();
                    printer.warn(&format!("{error}\nwhat was in force stays in force: {version}"));
                }
            }
        }
    })
}
