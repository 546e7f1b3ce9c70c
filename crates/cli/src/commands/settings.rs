//! `overt run --show-settings` and `--print-config-schema`.
use overt_wire::json::JsonBuf;

use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{pretty, settings_json, settings_text};
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
    let printer = &context.printer;
    match context.output.format {
        Format::Text => printer.text(&settings_text(&settings.values, printer.width()))?,
        Format::Json => printer.json(settings_json(&settings.values).as_json())?,
    }
    Ok(Exit::Ok)
}
