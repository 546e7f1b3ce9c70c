//! Computes the size of arguments as JSON without writing them.
use std::io;

use serde_json::Value;

/// Counts the bytes written to it.
#[derive(Default)]
struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn written_size(arguments: &Value) -> u64 {
    let mut counter = Counter::default();
    // Can't fail: a counter accepts all bytes, and all names in a value are strings.
    match serde_json::to_writer(&mut counter, arguments) {
        Ok(()) => counter.0,
        Err(_) => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn i_12_arguments_are_counted_as_they_are_written() {
        let arguments = json!({"a": ["\u{e9}\n\"", 1.5, null], "b": {}});
        assert_eq!(written_size(&arguments), arguments.to_string().len() as u64);
    }
}
