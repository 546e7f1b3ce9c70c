//! Exports records for other programs, as lines of JSON or rows of CSV.
use overt_wire::text::UntrustedLines;

use super::line::Record;

/// The columns of the CSV form.
const COLUMNS: [&str; 26] = [
    "seq",
    "ts",
    "kind",
    "call",
    "trace",
    "principal",
    "agent",
    "server",
    "server_id",
    "project",
    "method",
    "target",
    "decision",
    "layer",
    "rules",
    "grant",
    "needed",
    "requested",
    "intent",
    "reason",
    "preview",
    "outcome",
    "result_bytes",
    "latency_us",
    "args_digest",
    "hash",
];

/// Returns the first row, with the column names.
pub fn csv_header() -> String {
    COLUMNS.join(",")
}

/// Returns a record as a row. Lists are joined with spaces; of the latency only the total is shown.
pub fn csv_row(record: &Record) -> String {
    let cells: Vec<String> = COLUMNS.iter().map(|column| csv_cell(&value(record, column))).collect();
    cells.join(",")
}

fn value(record: &Record, column: &str) -> String {
    let Some(value) = record.json().get(column).value() else { return String::new() };
    if value.is_array() {
        return record.list(column).join(" ");
    }
    let value = if value.is_object() { value.get("total").value() } else { Some(value) };
    value
        .map(|value| value.string().map_or_else(|| value.as_str().to_owned(), std::borrow::Cow::into_owned))
        .unwrap_or_default()
}

/// Returns a text as a cell. Spreadsheets would evaluate some texts as formulas; a leading
/// apostrophe prevents that. Characters that hide text or control a screen are escaped.
pub fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = UntrustedLines(text).to_string();
    let text = if is_formula { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r', '\'']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::csv_cell;

    #[test]
    fn no_text_becomes_a_formula_or_another_cell() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("a\u{1b}[31mb\u{202e}c\u{200b}", "a\\u{1b}[31mb\\u{202e}c\\u{200b}"),
            ("\u{7f}\u{9b}\r", "\\u{7f}\\u{9b}\\u{d}"),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\\u{d}=1\""),
        ] {
            assert_eq!(csv_cell(text), expected);
        }
    }
}
