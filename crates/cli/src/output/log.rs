//! Our own log lines, on standard error, one line per event.
use std::io;
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::Printer;
use crate::settings::Verbosity;

/// Writes log lines through the printer, so that they don't break the progress bar and can't carry escape
/// sequences of a server (RPC-19).
struct Lines(Arc<Printer>);

/// Begins to print log lines: what the filter says, or what the verbosity asks for.
pub(crate) fn start_log(printer: &Arc<Printer>, verbosity: Verbosity, filter: Option<&str>) {
    let default = match verbosity {
        Verbosity::Quiet => "off",
        Verbosity::Normal => "overt=warn,overt_transport=warn",
        Verbosity::Verbose => "overt=info,overt_transport=info",
        Verbosity::Debug => "overt=debug,overt_transport=debug",
    };
    let filter = EnvFilter::builder().parse_lossy(filter.unwrap_or(default));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .without_time()
        .with_writer(Lines(Arc::clone(printer)))
        .finish();
    // Fails only if there is a subscriber already, which does the same.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { printer: Arc::clone(&self.0), text: Vec::new() }
    }
}

/// One event on its way.
struct Line {
    printer: Arc<Printer>,
    text: Vec<u8>,
}

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        self.printer.log(&super::one_line(&text));
    }
}
