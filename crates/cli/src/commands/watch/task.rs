//! Starts the screen or the line mode, as the settings say.
use super::full::full;
use super::plain::plain;
use crate::commands::grants::CommandContext;
use crate::failure::{Exit, Failure};
use crate::settings::{Display, Env, OutputSettings, WatchSettings};

pub(crate) fn watch(settings: &WatchSettings, env: &Env) -> Result<Exit, Failure> {
    let context = CommandContext::new(&settings.state, OutputSettings::PLAIN, Some(&settings.audit), env);
    match settings.display {
        Display::Full => full(&context, settings),
        Display::Plain => plain(&context, settings),
    }
}
