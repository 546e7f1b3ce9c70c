//! Reports about a server's tools for a person. Names come from the server, so they are escaped
//! here. Suggested commands can safely be pasted into a shell.
use std::fmt;
use std::path::PathBuf;

use overt_wire::text::{Untrusted, is_deceptive};

use super::digest::Digest;
use super::identity::shell_word;

/// A report about one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The short name of the server in its directory, for commands. It identifies the server
    /// wherever the command is run.
    pub server: String,
    /// The server's name for people, see [`Identity::label`](super::Identity::label).
    pub label: String,
    pub what: FindingKind,
    /// Whether the tool is held back until a person decides.
    pub held_back: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingKind {
    /// The server was not known before; its current tools are accepted.
    FirstContact {
        tools: usize,
    },
    /// The number of tools whose definitions differ from those of the same server in another
    /// directory.
    DiffersElsewhere {
        tools: usize,
        directory: String,
    },
    New {
        tool: String,
        now: Digest,
    },
    Changed {
        tool: String,
        was: Digest,
        now: Digest,
    },
    Conflicting {
        tool: String,
        now: Digest,
    },
    /// The server no longer lists the tool.
    Removed {
        tool: String,
    },
    /// The tool's descriptions list the same items in another order. This does not count as a
    /// change, and is reported once.
    Reordered {
        tool: String,
    },
    /// The number of further findings in the same list.
    More {
        findings: usize,
    },
    /// The number of tools that can't be remembered.
    LeftOut {
        tools: usize,
    },
    /// The record can't be read or written.
    Broken {
        why: String,
    },
    /// Another process has held the lock of all records for too long, so new definitions are not
    /// recorded.
    Locked {
        path: PathBuf,
    },
}

impl Finding {
    /// Whether the finding is only informational.
    pub fn is_harmless(&self) -> bool {
        matches!(self.what, FindingKind::FirstContact { .. } | FindingKind::Reordered { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, label) = (&self.server, Untrusted(&self.label));
        match &self.what {
            FindingKind::FirstContact { tools } => {
                return write!(
                    f,
                    "first contact with server {label}: its tools ({tools}) are remembered as they are"
                );
            }
            FindingKind::DiffersElsewhere { tools, directory } => {
                return write!(
                    f,
                    "{tools} tools of server {label} are not defined as those of the same command line in {}; see \
                     `overt pins list`",
                    Untrusted(directory)
                );
            }
            FindingKind::New { tool, now } => write!(f, "new tool {} ({})", name(tool), now.short())?,
            FindingKind::Changed { tool, was, now } => {
                write!(
                    f,
                    "the definition of tool {} changed ({} to {})",
                    name(tool),
                    was.short(),
                    now.short()
                )?;
            }
            FindingKind::Conflicting { tool, .. } => {
                write!(f, "tool {} stands in the list twice, with different definitions", name(tool))?;
            }
            FindingKind::Removed { tool } => {
                let accept = accept_command(server, tool);
                return write!(
                    f,
                    "tool {} is gone from the list of server {label}; it is remembered until `{accept}`",
                    name(tool)
                );
            }
            FindingKind::Reordered { tool } => {
                return write!(
                    f,
                    "tool {} of server {label} lists the same items in another order than the accepted definition; that counts as \
                     unchanged and is not reported again",
                    name(tool)
                );
            }
            FindingKind::More { findings } => write!(f, "{findings} more tools are new, changed or gone")?,
            FindingKind::LeftOut { tools } => {
                write!(f, "{tools} tools can't be remembered: too many, or names that are too long")?;
                return held_back(f, self.held_back);
            }
            FindingKind::Broken { why } => {
                write!(f, "the record of server {label} can't be used: {}", Untrusted(why))?;
                if self.held_back {
                    f.write_str("; all its tools are held back")?;
                }
                return write!(f, "; put the file right, or `overt pins forget {server}`");
            }
            FindingKind::Locked { path } => {
                let path = path.to_string_lossy();
                let path = shell_word(&path);
                return write!(
                    f,
                    "what is new about server {label} is not remembered: another process holds `{}` for too long; \
                     `fuser {0}` names it, and when it has ended, the tools are remembered with the next list",
                    Untrusted(&path)
                );
            }
        }
        held_back(f, self.held_back)?;
        write!(f, "; see `overt pins diff {server}`")?;
        match &self.what {
            FindingKind::New { tool, .. } | FindingKind::Changed { tool, .. } => {
                write!(f, ", then `{}`", accept_command(server, tool))
            }
            _ => Ok(()),
        }
    }
}

fn held_back(f: &mut fmt::Formatter<'_>, held_back: bool) -> fmt::Result {
    f.write_str(if held_back { "; held back" } else { "" })
}

/// Returns a tool's name in backticks, escaped and shortened.
pub(super) fn name(tool: &str) -> String {
    let shown: String = tool.chars().take(LONGEST).collect();
    let dots = if shown.len() < tool.len() { "…" } else { "" };
    format!("`{}{dots}`", Untrusted(&shown))
}

const LONGEST: usize = 64;

/// Returns the command that accepts a tool.
pub(super) fn accept_command(server: &str, tool: &str) -> String {
    // A name that can't be typed as it is shown is accepted together with all others.
    let plain = !tool.is_empty()
        && !tool.starts_with('-')
        && tool.chars().count() <= LONGEST
        && !tool.chars().any(|c| is_deceptive(c) || c == '`');
    if plain {
        format!("overt pins accept {server} {}", shell_word(tool))
    } else {
        format!("overt pins accept {server} --all")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_06_findings_are_one_safe_line() {
        let now = Digest::of_text("");
        let evil = "a\u{1b}[2J\n`$(reboot)`\u{202e}";
        let finding = Finding {
            server: "12345678".to_owned(),
            label: "notes#87654321".to_owned(),
            what: FindingKind::New { tool: evil.to_owned(), now },
            held_back: true,
        };
        assert_eq!(
            finding.to_string(),
            r"new tool `a\u{1b}[2J\u{a}`$(reboot)`\u{202e}` (e3b0c44298fc); held back; see `overt pins diff 12345678`, then `overt pins accept 12345678 --all`"
        );
        assert_eq!(accept_command("1", "$(reboot); a'b"), r"overt pins accept 1 '$(reboot); a'\''b'");
        assert_eq!(accept_command("1", "--all"), "overt pins accept 1 --all");
        assert_eq!(name(&"x".repeat(1 << 20)).chars().count(), 64 + 3);
    }
}
