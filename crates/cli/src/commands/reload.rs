//! Reads the settings files again on SIGHUP, or when the user's own file changes. A call uses the
//! settings that were in force when it began; a file with errors changes nothing (POL-16).
use std::convert::Infallible;
use std::io;

use overt_layers::Control;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Duration, MissedTickBehavior, interval};

use crate::output::Printer;
use crate::settings::ControlSources;

/// Returns a future that reloads on each SIGHUP. From this call on, SIGHUP does not end the
/// process.
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
            reload(sources, &control, printer);
        }
    })
}

/// How often the user's file is checked for changes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Reloads when the user's file changes, so that rules reach running servers within a second.
pub(super) async fn on_user_file(
    sources: &ControlSources,
    control: Control,
    printer: &Printer,
) -> Infallible {
    let mut last = sources.first_user_file_stamp();
    let mut look = interval(INTERVAL);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        let now = sources.user_file_stamp();
        if now != last {
            last = now;
            reload(sources, &control, printer);
        }
    }
}

fn reload(sources: &ControlSources, control: &Control, printer: &Printer) {
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
