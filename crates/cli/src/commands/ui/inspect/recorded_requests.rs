//! Finished requests of the page, kept so that they can be exported and repeated.
use std::collections::VecDeque;

use overt_wire::json::{JsonBuf, Object};

/// The most requests that are kept for the export.
const MOST_REQUESTS: usize = 200;
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct RecordedRequests {
    /// Each request's id from the page, and its line of the export.
    requests: VecDeque<(String, JsonBuf)>,
    bytes: usize,
}

impl RecordedRequests {
    /// Keeps a request. `outcome` is the member `result` or `failure` with its value.
    pub(super) fn add(&mut self, id: &str, method: &str, params: &JsonBuf, outcome: (&str, &JsonBuf)) {
        let line = Object::new()
            .string("method", method)
            .json("params", params.as_json())
            .json(outcome.0, outcome.1.as_json())
            .finish();
        self.bytes += line.as_json().as_str().len();
        self.requests.push_back((id.to_owned(), line));
        while self.requests.len() > MOST_REQUESTS || (self.bytes > MOST_BYTES && self.requests.len() > 1) {
            let oldest = self.requests.pop_front();
            self.bytes -= oldest.map_or(0, |(_, line)| line.as_json().as_str().len());
        }
    }

    /// Returns one line of JSON for each of these requests, in their order. Returns `None` if one
    /// of them is not kept any more.
    pub(super) fn export(&self, ids: &[String]) -> Option<String> {
        let line = |id: &String| self.requests.iter().rev().find(|(known, _)| known == id);
        ids.iter().map(|id| line(id).map(|(_, line)| format!("{}\n", line.as_json().as_str()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_exported_in_the_order_that_was_asked_for() {
        let mut recorded = RecordedRequests::default();
        let empty = JsonBuf::empty_object();
        for number in 0..MOST_REQUESTS + 1 {
            recorded.add(&format!("r{number}"), "ping", &empty, ("result", &empty));
        }
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let line = "{\"method\":\"ping\",\"params\":{},\"result\":{}}\n";
        assert_eq!(recorded.export(&ids(&["r7", "r3"])), Some(line.repeat(2)));
        assert_eq!(recorded.export(&ids(&["r0"])), None, "the oldest is gone");
    }
}
