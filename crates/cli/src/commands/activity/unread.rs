//! Warns about logs that could not be read completely.
use overt_state::audit::UnreadLog;

use crate::output::{Printer, one_line};

/// Prints a warning for each log that could not be read. Everything else is still shown.
pub(super) fn tell_unread(unread: &[UnreadLog], printer: &Printer) {
    for UnreadLog { log, lines, why } in unread {
        let log = one_line(log);
        if *lines > 0 {
            let lines = if *lines == 1 { "1 line" } else { &format!("{lines} lines") };
            printer.warn(&format!("log `{log}`: skipped {lines} that can't be read as records; `overt audit verify {log}` says where"));
        }
        if let Some(why) = why {
            printer.warn(&format!("log `{log}` could not be read: {}", one_line(why)));
        }
    }
}
