//! `overt run --show-settings` and `--print-config-schema`.
use overt_wire::json::JsonBuf;

use crate::args::Format;
use crate::failure::{Exit, Failure};
use crate::output::{Printer, pretty, settings_json, settings_text};
use crate::settings::{ControlSettings, Env, Table, Verbosity};

/// Prints the schema that clients get. It reads neither the environment nor a file, so neither can
/// make it fail (H-14).
pub(crate) fn print_config_schema<T: Table>(env: &Env) -> Result<Exit, Failure> {
    let schema = JsonBuf::of(&T::declared().schema()).unwrap_or_else(|_| JsonBuf::empty_object());
    Printer::new(Verbosity::Normal, env).text(&pretty(schema.as_json()))?;
    Ok(Exit::Ok)
}

/// Prints every setting with its value and its origin.
pub(crate) fn show_settings(settings: &ControlSettings, format: Format, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(Verbosity::Normal, env);
    match format {
        Format::Text => printer.text(&settings_text(&settings.values, printer.width()))?,
        Format::Json => printer.json(settings_json(&settings.values).as_json())?,
    }
    Ok(Exit::Ok)
}
