//! Tests how long Overt follows a task.
use overt_wire::json::JsonBuf;

use super::*;

fn json(text: &str) -> JsonBuf {
    JsonBuf::parse(text).unwrap()
}

#[test]
fn how_long_a_task_is_kept_is_read_in_both_eras_and_bounded() {
    for (task, ttl) in [
        (r#"{"ttlMs":1500}"#, Some(Duration::from_millis(1500))),
        (r#"{"ttl":2000}"#, Some(Duration::from_secs(2))),
        (r#"{"ttl":null}"#, Some(LONGEST_TTL)),
        (r#"{"ttlMs":1e300}"#, Some(LONGEST_TTL)),
        (r#"{"ttl":-1}"#, Some(LONGEST_TTL)),
        (r#"{"ttl":"x"}"#, Some(LONGEST_TTL)),
        ("{}", None),
    ] {
        assert_eq!(ttl_of(json(task).as_json()), ttl, "{task}");
    }
}
