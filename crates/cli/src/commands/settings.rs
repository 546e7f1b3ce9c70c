//! `overt run --show-settings` and `--print-config-schema`.
use overt_wire::json::JsonBuf;

use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{SettingsReport, pretty};
use crate::settings::{ControlSettings, Table};

/// Prints the schema that clients get. It reads neither the environment nor a file, so neither can
/// make it fail (H-14).
pub(crate) fn print_config_schema<T: Table>(context: &CommandContext) -> Result<Exit, CommandError> {
    let schema = JsonBuf::of(&T::declared().schema()).unwrap_or_else(|_| JsonBuf::empty_object());
    context.printer.text(&pretty(schema.as_json()))?;
    Ok(Exit::Ok)
}

/// Prints every setting with its value and its origin.
pub(crate) fn show_settings(
    settings: &ControlSettings,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    context.report(&SettingsReport(&settings.values))?;
    Ok(Exit::Ok)
}
