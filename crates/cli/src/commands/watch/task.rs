//! Starts the screen or the line mode, as the settings say.
use super::full::full;
use super::plain::plain;
use crate::commands::grants::DecisionContext;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::lost_wrapping::WrappingWatch;
use crate::settings::{Display, WatchSettings};

pub(crate) fn watch(settings: &WatchSettings, command: &CommandContext) -> Result<Exit, CommandError> {
    let context = DecisionContext::new(command, &settings.state, Some(&settings.audit));
    let wrapping = WrappingWatch::start(settings.state.path(), &command.env);
    match settings.display {
        Display::Full => full(&context, settings, wrapping),
        Display::Plain => plain(&context, settings, wrapping),
    }
}
