//! No person is asked about a call that can't run (A-03). Each such call is answered immediately
//! with what is wrong.
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::{CountedUpstream, EVERY, Person, call, code, is_error, text, write};

/// A waiting call would take as long as `--approval-wait`; none of these calls does.
const AT_ONCE: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn a_03_calls_that_can_t_run_ask_nobody() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let file = write(&root, "notes.txt", "one\ntwo\n");
        let root = root.to_str().unwrap();
        let config = write(folder.path(), "overt.toml", HIDDEN);
        let person = Person::new();
        let options = [root, "--approval-wait", "2m", "--config", &config];
        let client = place.files(way, &options, &person, true).await;
        let begun = Instant::now();
        // (tool, arguments, what the answer says)
        let rows: [(&str, Value, &str); 7] = [
            ("no_such_tool", json!({}), "unknown tool"),
            ("delete_file", json!({}), "`path`"),
            ("delete_file", json!({ "path": 7 }), "must be a string"),
            ("delete_file", json!({ "path": "absent.txt" }), "absent.txt"),
            ("delete_file", json!({ "path": file, "wrong": true }), "unknown parameter `wrong`"),
            ("delete_file", json!({ "path": "secret.key" }), "secret.key"),
            ("delete_file", json!({ "path": "fixed.lock" }), "fixed.lock"),
        ];
        write(std::path::Path::new(root), "secret.key", "hidden");
        write(std::path::Path::new(root), "fixed.lock", "immutable");
        for (tool, arguments, wanted) in rows {
            let answer = call(&client, tool, arguments.clone(), json!({})).await;
            assert!(is_error(&answer), "{way:?} {tool} {arguments}: {answer}");
            assert!(answer.to_string().contains(wanted), "{way:?} {tool} {arguments}: {answer}");
        }
        assert!(begun.elapsed() < AT_ONCE, "{way:?}: {:?}", begun.elapsed());
        assert_eq!(person.asked(), 0, "{way:?}: {}", person.last_shown());
        assert!(place.store().questions().unwrap().is_empty());
        assert!(std::path::Path::new(root).join("secret.key").exists());
    }
}

const HIDDEN: &str = r#"
[settings]
hidden = ["*.key"]
immutable = ["*.lock"]
"#;

/// A person would have to approve this call, but the server would reject its arguments anyway.
#[tokio::test(flavor = "multi_thread")]
async fn a_03_arguments_that_do_not_fit_a_foreign_schema_ask_nobody() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let person = Person::new();
        let client = place.client(way, &["--approval-wait", "2m"], &person, true).await;
        for arguments in [json!({}), json!({ "path": 7 })] {
            let answer = call(&client, "touch", arguments.clone(), json!({})).await;
            assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{way:?} {arguments}: {answer}");
            assert!(text(&answer).contains("path"), "{answer}");
        }
        let unknown = call(&client, "no_such_tool", json!({}), json!({})).await;
        assert!(unknown.to_string().contains("unknown tool"), "{way:?}: {unknown}");
        assert_eq!((person.asked(), place.count()), (0, 0), "{way:?}");
    }
}

/// A call that exceeds its rate is refused without a question.
#[tokio::test(flavor = "multi_thread")]
async fn a_03_a_call_over_its_rate_asks_nobody() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let person = Person::who_says(&json!({ "decision": "once" }));
        let client = place.client(way, &["--tool-rate-limit", "1/hour"], &person, true).await;
        let first = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&first), "touched", "{way:?}: {first}");
        assert_eq!(person.asked(), 1);
        let second = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert!(second.to_string().contains("too many calls"), "{way:?}: {second}");
        assert_eq!((person.asked(), place.count()), (1, 1), "{way:?}: nobody is asked about it");
    }
}
