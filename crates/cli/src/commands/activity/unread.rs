//! What of the logs could not be read.
use overt_state::audit::UnreadLog;

use crate::output::{Printer, one_line};

/// Says what could not be read. Nothing is hidden because of it.
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
