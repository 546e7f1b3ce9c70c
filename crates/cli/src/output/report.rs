//! The answer of a command: data for programs, derived from the type, and text for people beside
//! it.
use overt_wire::json::JsonBuf;
use serde::Serialize;

/// What a command answers. Its members, in their order, are the JSON of `--format json`.
pub(crate) trait Report: Serialize {
    /// The answer for a person, on a terminal of this width.
    fn text(&self, width: Option<usize>) -> String;

    /// What a person is told besides, which is not data.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// Returns the data of an answer.
pub(crate) fn to_json<T: Serialize + ?Sized>(data: &T) -> JsonBuf {
    JsonBuf::of(data).unwrap_or_else(|error| {
        debug_assert!(false, "an answer can't be written as JSON: {error}");
        JsonBuf::empty_object()
    })
}
