//! Starts the screen or the line mode, as the settings say.
use super::full::full;
use super::plain::plain;
use crate::commands::grants::DecisionContext;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::settings::{Display, WatchSettings};

pub(crate) fn watch(settings: &WatchSettings, command: &CommandContext) -> Result<Exit, CommandError> {
    let context = DecisionContext::new(command, &settings.state, Some(&settings.audit));
    match settings.display {
        Display::Full => full(&context, settings),
        Display::Plain => plain(&context, settings),
    }
}
