//! The operations, the tools of each server for them, and what a valid answer must contain.

use std::path::Path;

use super::corpus;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Read4k,
    Read1m,
    Edit64k,
    List50,
    Tree20k,
    Glob1k,
    Glob20k,
    Grep1k,
    Grep20k,
}

/// What an answer must contain. A truncated answer does not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The least number of bytes.
    pub(crate) bytes: usize,
    /// A text that must occur at least `times` times.
    pub(crate) text: &'static str,
    pub(crate) times: usize,
}

/// How a server does a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) tool: &'static str,
    /// Arguments with the placeholders `{root}`, `{path}`, `{find}`, `{replace}` and `{needle}`.
    arguments: &'static str,
    pub(crate) wanted: Wanted,
}

impl Row {
    pub(crate) const ALL: [Self; 9] = [
        Self::Read4k,
        Self::Read1m,
        Self::Edit64k,
        Self::List50,
        Self::Tree20k,
        Self::Glob1k,
        Self::Glob20k,
        Self::Grep1k,
        Self::Grep20k,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read4k => "read-4k",
            Self::Read1m => "read-1m",
            Self::Edit64k => "edit-64k",
            Self::List50 => "list-50",
            Self::Tree20k => "tree-20k",
            Self::Glob1k => "glob-1k",
            Self::Glob20k => "glob-20k",
            Self::Grep1k => "grep-1k",
            Self::Grep20k => "grep-20k",
        }
    }

    /// Returns how a server does this row, or `None` if it has no tool for it.
    pub(crate) fn way(self, profile: &str) -> Result<Option<Way>, String> {
        match profile {
            "overt" => Ok(self.overt()),
            "server-filesystem" => Ok(self.server_filesystem()),
            "rust-mcp-filesystem" => Ok(self.rust_mcp_filesystem()),
            _ => Err(format!("unknown profile `{profile}`")),
        }
    }

    fn overt(self) -> Option<Way> {
        let (tool, arguments) = match self {
            Self::Read4k => ("read_file", r#"{"path":"{path}"}"#),
            Self::Read1m => ("read_file", r#"{"path":"{path}","limit":100000}"#),
            Self::Edit64k => {
                ("edit_file", r#"{"path":"{path}","edits":[{"find":"{find}","replace":"{replace}"}]}"#)
            }
            Self::List50 => ("list_directory", r#"{"path":"{path}"}"#),
            Self::Tree20k => ("list_directory", r#"{"path":".","max_depth":3,"limit":30000}"#),
            Self::Glob1k => ("find_files", r#"{"path":"d00","pattern":"f07.json","syntax":"glob"}"#),
            Self::Glob20k => ("find_files", r#"{"pattern":"f07.json","syntax":"glob"}"#),
            Self::Grep1k => ("search_files", r#"{"path":"d00","pattern":"{needle}","literal":true}"#),
            Self::Grep20k => ("search_files", r#"{"pattern":"{needle}","literal":true}"#),
        };
        // The diff of `overt fs` is structured, and not text.
        let text = if self == Self::Edit64k { "\"hunks\"" } else { self.wanted().text };
        Some(Way { tool, arguments, wanted: Wanted { text, ..self.wanted() } })
    }

    fn server_filesystem(self) -> Option<Way> {
        let (tool, arguments) = match self {
            Self::Read4k | Self::Read1m => ("read_text_file", r#"{"path":"{root}/{path}"}"#),
            Self::Edit64k => (
                "edit_file",
                r#"{"path":"{root}/{path}","edits":[{"oldText":"{find}","newText":"{replace}"}]}"#,
            ),
            Self::List50 => ("list_directory", r#"{"path":"{root}/{path}"}"#),
            Self::Tree20k => ("directory_tree", r#"{"path":"{root}"}"#),
            Self::Glob1k => ("search_files", r#"{"path":"{root}/d00","pattern":"**/f07.json"}"#),
            Self::Glob20k => ("search_files", r#"{"path":"{root}","pattern":"**/f07.json"}"#),
            Self::Grep1k | Self::Grep20k => return None,
        };
        Some(Way { tool, arguments, wanted: self.wanted() })
    }

    /// Uses the tools of server-filesystem, and one that searches contents.
    fn rust_mcp_filesystem(self) -> Option<Way> {
        let (tool, arguments) = match self {
            Self::Grep1k => {
                ("search_files_content", r#"{"path":"{root}/d00","pattern":"**/*","query":"{needle}"}"#)
            }
            Self::Grep20k => {
                ("search_files_content", r#"{"path":"{root}","pattern":"**/*","query":"{needle}"}"#)
            }
            _ => return self.server_filesystem(),
        };
        Some(Way { tool, arguments, wanted: self.wanted() })
    }

    fn wanted(self) -> Wanted {
        let (bytes, text, times) = match self {
            Self::Read4k => (4096, "", 0),
            Self::Read1m => (1 << 20, "", 0),
            Self::Edit64k => (0, "@@", 1),
            Self::List50 => (0, ".json", 12),
            Self::Tree20k => (0, ".json", 12 * 400),
            Self::Glob1k => (0, "f07.json", 20),
            Self::Glob20k => (0, "f07.json", 400),
            Self::Grep1k => (0, corpus::NEEDLE, 2),
            Self::Grep20k => (0, corpus::NEEDLE, 40),
        };
        Wanted { bytes, text, times }
    }

    fn path(self, call: u64) -> String {
        match self {
            Self::Read4k => corpus::file_4k(call),
            Self::Read1m => corpus::file_1m(call),
            Self::Edit64k => corpus::edit(call).0,
            Self::List50 => corpus::folder(call),
            _ => String::new(),
        }
    }
}

impl Way {
    /// Returns the arguments of one call.
    pub(crate) fn arguments(&self, row: Row, root: &Path, call: u64) -> String {
        let (_, find, replace) = corpus::edit(call);
        self.arguments
            .replace("{root}", &root.display().to_string())
            .replace("{path}", &row.path(call))
            .replace("{find}", find)
            .replace("{replace}", replace)
            .replace("{needle}", corpus::NEEDLE)
    }
}

impl Wanted {
    pub(crate) fn is_met(&self, answer: &[u8]) -> bool {
        let holds = |part: &[u8], text: &str| memchr::memmem::find(part, text.as_bytes()).is_some();
        // An error is marked at the start or the end of an answer, never only in the middle of a
        // long one.
        let (head, tail) = (&answer[..answer.len().min(512)], &answer[answer.len().saturating_sub(512)..]);
        answer.len() >= self.bytes
            && ![head, tail].into_iter().any(|part| holds(part, "\"isError\":true"))
            && [head, tail].into_iter().any(|part| holds(part, "\"result\""))
            && (self.times == 0
                || memchr::memmem::find_iter(answer, self.text.as_bytes()).take(self.times).count()
                    == self.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_cut_or_an_error_does_not_count() {
        let wanted = Wanted { bytes: 40, text: "x.json", times: 2 };
        assert!(wanted.is_met(br#"{"id":1,"result":{"text":"x.json x.json"}}"#));
        assert!(!wanted.is_met(br#"{"id":1,"result":{"text":"x.json and no more"}}"#));
        assert!(!wanted.is_met(br#"{"id":1,"result":{"text":"x.json x.json","isError":true}}"#));
        assert!(!wanted.is_met(br#"{"id":1,"error":{"message":"x.json x.json       "}}"#));
        assert!(!Wanted { bytes: 100, text: "", times: 0 }.is_met(br#"{"id":1,"result":{}}"#));
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Row::ALL.iter().map(|row| row.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Row::ALL.len());
    }
}
