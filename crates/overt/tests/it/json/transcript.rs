//! Commands and what they printed, without what differs from run to run.
use std::fmt::Write as _;
use std::process::{Command, Output};

use crate::support::{by_person, report};

/// What differs from run to run, and what takes its place.
const FILTERS: [(&str, &str); 22] = [
    (r"/(?:[\w.-]+/)*\.tmp\w{6}", "[TMP]"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", "[TIME]"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?\b", "[TIME]"),
    (r"\b\d+(?:\.\d+)? m?s\b", "[TIME]"),
    (r"\b[0-9a-f]{64}\b", "[SHA256]"),
    (r"\b[0-9a-f]{32}\b", "[HEX]"),
    (r"#[0-9a-f]{8}\b", "#[ID]"),
    (r#""(id|serverId|server_id|session)":"[0-9a-f]{8}""#, r#""$1":"[ID]""#),
    (r"backups/[0-9a-f]{16}-[\dTZ-]+", "backups/[BACKUP]"),
    (r"(audit-logs/\w+)-[0-9a-f]{8}\b", "$1-[ID]"),
    (r"\bc-\d{13}-[0-9a-f]{6}\b", "c-[CHANGE]"),
    (r"\bc-[0-9a-f]{6}\b", "c-[SHORT]"),
    (r"[\w-]{32}(\.\d+)\b", "[CALL]$1"),
    (r#""boot":"[0-9a-f]{16}""#, r#""boot":"[BOOT]""#),
    (r"ed25519:[\w+/=-]{43,44}", "ed25519:[KEY]"),
    (r#""signature":"[^"]+""#, r#""signature":"[SIGNATURE]""#),
    (r#""tool_digest":"[\w+/=-]+""#, r#""tool_digest":"[DIGEST]""#),
    (r#""(microseconds|milliseconds|mono_ns|result_bytes|pid)":[\d.e-]+"#, r#""$1":[N]"#),
    (r#""(approval|policy|total|upstream)":\d+"#, r#""$1":[N]"#),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[PORT]"),
    (r"\bpid \d+", "pid [N]"),
    (r"overt \d+\.\d+\.\d+", "overt [VERSION]"),
];

/// Commands, each with what it printed.
#[derive(Default)]
pub(crate) struct Transcript(String);

impl Transcript {
    /// Runs a command as the person's script does.
    pub(crate) fn run(&mut self, command: &mut Command) -> Output {
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        // A server is named once, by the test.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let output = by_person(command);
        let text = report(&output).replace(env!("CARGO_BIN_EXE_overt"), "[OVERT]");
        let _ = writeln!(self.0, "$ overt {}\n{text}\n", words[..end].join(" "));
        output
    }

    /// Hides a text that differs from run to run.
    pub(crate) fn hide(&mut self, text: &str, name: &str) {
        self.0 = self.0.replace(text, name);
    }

    #[track_caller]
    pub(crate) fn matches(self, name: &str) {
        insta::with_settings!({
            filters => FILTERS.to_vec(), prepend_module_to_snapshot => false, omit_expression => true,
        }, { insta::assert_snapshot!(name, self.0) });
    }
}
