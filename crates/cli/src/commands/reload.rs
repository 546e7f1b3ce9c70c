//! SIGHUP reads the files of settings again, and so does a change of the user's own file. A call
//! uses what was in force when it began; a file that can't be used changes nothing (POL-16).
use std::convert::Infallible;
use std::io;

use overt_layers::Control;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Duration, MissedTickBehavior, interval};

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
            reload(sources, &control, printer);
        }
    })
}

/// How often the user's file is read.
const LOOK: Duration = Duration::from_secs(1);

/// What the user forbids or permits holds for servers that run, within a second.
pub(super) async fn on_user_file(
    sources: &ControlSources,
    control: Control,
    printer: &Printer,
) -> Infallible {
    let mut last = sources.first_user_file_stamp();
    let mut look = interval(LOOK);
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
