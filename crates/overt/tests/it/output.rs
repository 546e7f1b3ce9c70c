//! What a command printed, and how a test checks it.
use std::fmt::Write as _;
use std::ops::Deref;
use std::process::Output;

use serde_json::Value;

/// The end of a command and what it printed. As text it is the exit code, then standard output and
/// standard error below a heading each, without those that are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    text: String,
}

impl CommandOutput {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(0, &[])
    }

    /// Checks the exit code, and that all of these parts were printed.
    #[track_caller]
    pub(crate) fn exits(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self.says(parts)
    }

    /// Checks that all of these parts were printed.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.contains(part), "{part:?} is not in {self}");
        }
        self
    }

    /// Returns each line of standard output as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parsed = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self}"));
        self.stdout.lines().map(parsed).collect()
    }

    /// Returns the one line of standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl From<&Output> for CommandOutput {
    fn from(output: &Output) -> Self {
        let code = output.status.code();
        let mut text = code.map_or_else(|| format!("{}\n", output.status), |code| format!("exit {code}\n"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                let _ = write!(text, "--- {name}\n{}", String::from_utf8_lossy(bytes));
                if !text.ends_with('\n') {
                    text.push_str("⏎\n");
                }
            }
        }
        text.truncate(text.trim_end().len());
        Self { code, stdout: String::from_utf8_lossy(&output.stdout).into_owned(), text }
    }
}

impl Deref for CommandOutput {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq<&str> for CommandOutput {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl std::fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// What differs from run to run, and what takes its place.
pub(crate) const FILTERS: [(&str, &str); 9] = [
    (r"/(?:[\w.-]+/)*\.tmp\w{6}", "[TMP]"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", "[TIME]"),
    (r"\b(20\d\d-\d\d-\d\d) \d\d:\d\d(?::\d\d)?\b", "[TIME]"),
    (r"\b(asked|made again, for) \d+ (?:s|min)\b", "$1 [TIME]"),
    (r"\bsha256:[0-9a-f]{64}\b", "sha256:[HASH]"),
    (r"\bed25519:[\w+/=-]{43,44}", "ed25519:[KEY]"),
    (r"\bc-[0-9a-f]{6}\b", "c-[CHANGE]"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[PORT]"),
    (r"overt \d+\.\d+\.\d+", "overt [VERSION]"),
];

/// Compares a snapshot without what differs from run to run.
macro_rules! snapshot {
    ($value:expr, @$expected:literal) => {
        insta::with_settings!({filters => crate::output::FILTERS.to_vec()}, {
            insta::assert_snapshot!($value.to_string(), @$expected)
        })
    };
}
pub(crate) use snapshot;
