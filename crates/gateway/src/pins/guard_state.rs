//! The state of a guard while it runs, and its texts for refused calls.
use std::collections::BTreeSet;
use std::time::Instant;

use super::digest::Digest;
use super::finding::{accept_command, name};
use super::identity::Identity;
use super::live::{LivePins, LiveState};
use super::record::Record;
use super::store::FileVersion;

/// The most entries of `reported` and of `familiar`.
const MAX_REMEMBERED: usize = 10_000;

#[derive(Default)]
pub(super) struct GuardState {
    pub(super) live: LivePins,
    /// The version of the file that the record was read from.
    pub(super) version: Option<FileVersion>,
    /// Why the file can't be read or written. While it is set, no tool counts as accepted.
    pub(super) broken: Option<String>,
    /// Whether the file must be read again even if its version is unchanged.
    pub(super) stale: bool,
    pub(super) complained: Option<String>,
    /// No writing before this time, because another process held the file for too long.
    pub(super) paused_until: Option<Instant>,
    pub(super) listed: bool,
    pub(super) reported: BTreeSet<(String, Digest, bool)>,
    /// Pages that had no findings, by the digest of their exact text.
    pub(super) familiar: BTreeSet<Digest>,
}

impl GuardState {
    /// Forgets reports that a person has decided about, so that the same definition is reported
    /// again.
    pub(super) fn forget_reports(&mut self, record: Option<&Record>) {
        self.reported.retain(|(tool, digest, _)| {
            let pin = record.and_then(|record| record.tools.get(tool));
            pin.and_then(|pin| pin.unaccepted.as_ref()).is_some_and(|seen| seen.digest == *digest)
        });
    }

    /// Returns why a call is refused, and the command that a person must type. `None` if it is
    /// allowed.
    pub(super) fn refusal(&self, identity: &Identity, tool: &str) -> Option<String> {
        let state = self.live.state(tool);
        if self.broken.is_none() && state == LiveState::Accepted {
            return None;
        }
        let (id, shown) = (identity.id(), name(tool));
        if self.broken.is_some() {
            return Some(format!(
                "tool {shown} is held back: the record of accepted tools can't be used. Calling again won't help; ask \
                 the person to look at what `overt run` reports, or at `overt pins list`"
            ));
        }
        let decide = |accept: &str| {
            format!(
                "Calling again won't help; ask the person to look at it with `overt pins diff {id}`, and to run \
                 `{accept}` if it is fine"
            )
        };
        let accept = accept_command(&id, tool);
        Some(match state {
            LiveState::Accepted => return None,
            LiveState::New { .. } => {
                format!("tool {shown} is held back: it is new and not accepted yet. {}", decide(&accept))
            }
            LiveState::Changed { .. } => {
                format!(
                    "tool {shown} is held back: its definition is not the accepted one. {}",
                    decide(&accept)
                )
            }
            LiveState::Conflicting { .. } => format!(
                "tool {shown} is held back: the server showed two definitions of it in one list. {}",
                decide(&format!("overt pins keep {id} --all"))
            ),
            LiveState::Unlisted if !self.listed => format!(
                "tool {shown} is held back: the server's list of tools has not been looked at yet. List the tools first"
            ),
            LiveState::Unlisted => {
                format!(
                    "tool {shown} is not in the server's list of tools. List the tools to see what there is"
                )
            }
        })
    }
}

/// Clears a full set, because a peer could make it grow without limit.
pub(super) fn make_room<T: Ord>(set: &mut BTreeSet<T>) {
    if set.len() >= MAX_REMEMBERED {
        set.clear();
    }
}
