//! The program's own log on standard error, one line per event: text for people or JSON for
//! programs. Text from a peer cannot break out of its line (RPC-19).
use std::fmt::{self, Write as _};
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use overt_wire::json::Object;
use overt_wire::rfc3339::format_millis;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use super::{Printer, safe};
use crate::args::LogFormat;
use crate::settings::{LogSettings, LogTimes};

/// Starts to print log lines.
pub(crate) fn start_log(printer: &Arc<Printer>, settings: &LogSettings) {
    let filter = EnvFilter::builder().parse_lossy(&settings.filter);
    let lines = Lines { printer: Arc::clone(printer), format: settings.format };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(lines);
    // Fails only if a subscriber is already set, which does the same.
    let _ = match settings.format {
        LogFormat::Text => {
            tracing::subscriber::set_global_default(builder.with_timer(settings.times).finish())
        }
        LogFormat::Json => tracing::subscriber::set_global_default(builder.event_format(JsonEvents).finish()),
    };
}

/// Writes log lines through the printer, so that they do not break the progress bar and cannot
/// contain a server's escape sequences.
struct Lines {
    printer: Arc<Printer>,
    format: LogFormat,
}

/// One log line while it is written; it is printed when dropped.
struct Line {
    printer: Arc<Printer>,
    format: LogFormat,
    text: Vec<u8>,
}

/// Events as JSON objects: `timestamp`, `level`, `target`, `message`, then the fields of the event.
struct JsonEvents;

/// Collects the fields of an event as they are visited.
struct Fields {
    message: String,
    rest: Option<Object>,
}

// === impl Lines ===

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { printer: Arc::clone(&self.printer), format: self.format, text: Vec::new() }
    }
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
        match self.format {
            LogFormat::Text => self.printer.log(&super::one_line(&text)),
            LogFormat::Json => self.printer.log_json(text.trim_end()),
        }
    }
}

// === impl LogTimes ===

impl FormatTime for LogTimes {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        match self {
            Self::Shown => writer.write_str(&format_millis(SystemTime::now())),
            Self::LeftOut => Ok(()),
        }
    }
}

// === impl JsonEvents ===

impl<S, N> FormatEvent<S, N> for JsonEvents
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        writeln!(writer, "{}", json_line(event, SystemTime::now()))
    }
}

fn json_line(event: &Event<'_>, now: SystemTime) -> String {
    let mut fields = Fields { message: String::new(), rest: Some(Object::new()) };
    event.record(&mut fields);
    let line = Object::new()
        .string("timestamp", &format_millis(now))
        .string("level", &event.metadata().level().as_str().to_ascii_lowercase())
        .string("target", event.metadata().target())
        .string("message", &fields.message)
        .members_of(fields.rest.unwrap_or_default().finish().as_json())
        .finish();
    safe::json(line.as_json())
}

// === impl Fields ===

impl Fields {
    fn add(&mut self, name: &str, add: impl FnOnce(Object, &str) -> Object) {
        // A field must not replace one of the line's own members.
        let name = match name {
            "timestamp" | "level" | "target" => format!("field_{name}"),
            name => name.to_owned(),
        };
        self.rest = self.rest.take().map(|rest| add(rest, &name));
    }

    fn text(&mut self, name: &str, text: &str) {
        let text = safe::clip(text);
        if name == "message" {
            text.clone_into(&mut self.message);
        } else {
            self.add(name, |rest, name| rest.string(name, text));
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = String::new();
        let _ = write!(text, "{value:?}");
        self.text(field.name(), &text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), |rest, name| rest.value(name, &value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), |rest, name| rest.value(name, &value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), |rest, name| rest.value(name, &value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), |rest, name| rest.value(name, &value));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use overt_wire::json::Json;
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

    use super::*;

    /// Keeps the JSON line of each event.
    #[derive(Clone, Default)]
    struct Keep(Arc<Mutex<Vec<String>>>);

    impl<S: Subscriber> Layer<S> for Keep {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            self.0.lock().unwrap().push(json_line(event, SystemTime::UNIX_EPOCH));
        }
    }

    fn lines(log: impl FnOnce()) -> Vec<String> {
        let keep = Keep::default();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(keep.clone()), log);
        keep.0.lock().unwrap().clone()
    }

    #[test]
    fn an_event_is_one_object() {
        let lines =
            lines(|| tracing::warn!(target: "overt", code = -1_i64, ok = true, name = "x", "it broke"));
        assert_eq!(
            lines,
            [
                r#"{"timestamp":"1970-01-01T00:00:00.000Z","level":"warn","target":"overt","message":"it broke","code":-1,"ok":true,"name":"x"}"#
            ]
        );
    }

    #[test]
    fn rpc_19_a_peer_can_not_break_or_forge_a_json_line() {
        let evil = "a\nb\r{\"level\":\"error\"}\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\u{e0041}\",\"level\":\"x";
        let lines = lines(|| tracing::info!(level = "error", said = evil, "{evil}"));
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(!line.chars().any(overt_wire::text::is_deceptive), "{line:?}");
        let json = Json::parse(line).unwrap();
        assert_eq!(json.get("level").string().unwrap(), "info");
        assert_eq!(json.get("field_level").string().unwrap(), "error");
        assert_eq!(json.get("said").string().unwrap(), evil);
        assert_eq!(json.get("message").string().unwrap(), evil);
    }

    #[test]
    fn card_06_a_field_has_a_size() {
        let lines = lines(|| tracing::info!(said = "x".repeat(1 << 20), "long"));
        assert!(lines[0].len() < 10_000);
    }
}
