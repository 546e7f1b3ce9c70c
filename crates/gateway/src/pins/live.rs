//! What this process has seen of a server, held against what is remembered. A difference stays one
//! until a person has decided, whatever the server shows afterwards: it may show different lists to
//! different requests (CARD-03). Pure.
use std::collections::BTreeMap;

use super::digest::Digest;
use super::listing::{ListedDefinition, Listing};
use super::record::{Pin, Record};

/// The record and the tools that were listed while this process runs.
#[derive(Debug, Default)]
pub(super) struct LivePins {
    record: Option<Record>,
    live: BTreeMap<String, Live>,
}

/// How a tool stands, in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiveState {
    Accepted,
    /// A name that was not there when the server was first seen.
    New {
        now: Digest,
    },
    Changed {
        was: Digest,
        now: Digest,
    },
    /// Twice in one list, with different definitions.
    Conflicting {
        now: Digest,
    },
    /// Not in any list that was looked at.
    Unlisted,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    /// What was seen last, or the difference that a person has to decide about.
    digest: Digest,
    differs: bool,
    twice: bool,
    /// The pin's count of decisions to keep when the difference was seen.
    kept: u64,
}

impl LivePins {
    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Goes on with a newer record. A difference that a person has decided about is none any more;
    /// what was kept or forgotten counts only once it is listed again.
    pub(super) fn renew(&mut self, record: Option<Record>) {
        self.live.retain(|name, live| {
            let Some(pin) = record.as_ref().and_then(|record| record.tools.get(name)) else { return false };
            let accepts = pin.accepts(live.digest);
            if (live.differs || live.twice) && pin.kept > live.kept {
                return false;
            }
            if !live.twice {
                live.differs = !accepts;
            }
            true
        });
        self.record = record;
    }

    /// Takes in a list that the record has noted, and gives what is not accepted of it.
    pub(super) fn look<'a>(&mut self, listing: &'a Listing) -> Vec<(&'a str, LiveState)> {
        let Some(record) = &self.record else { return Vec::new() };
        let mut findings = Vec::new();
        for (name, shown) in &listing.tools {
            // A tool that there was no room for stays unlisted.
            let Some(pin) = record.tools.get(name) else { continue };
            let now = Live::of(pin, shown);
            if now.differs || now.twice {
                findings.push((name.as_str(), now.state(pin)));
            }
            match self.live.get_mut(name) {
                Some(live) if live.twice => {}
                Some(live) if live.differs && !now.differs && !now.twice => {}
                Some(live) => *live = now,
                None => {
                    self.live.insert(name.clone(), now);
                }
            }
        }
        findings
    }

    pub(super) fn state(&self, name: &str) -> LiveState {
        let pin = self.record.as_ref().and_then(|record| record.tools.get(name));
        match (self.live.get(name), pin) {
            (Some(live), Some(pin)) => live.state(pin),
            _ => LiveState::Unlisted,
        }
    }
}

impl Live {
    fn of(pin: &Pin, shown: &ListedDefinition) -> Self {
        let digest = shown.differing_from(pin.accepted.as_ref()).digest;
        let twice = matches!(shown, ListedDefinition::Twice(..));
        Self { digest, differs: !pin.accepts(digest), twice, kept: pin.kept }
    }

    fn state(self, pin: &Pin) -> LiveState {
        let now = self.digest;
        match &pin.accepted {
            _ if self.twice => LiveState::Conflicting { now },
            _ if !self.differs => LiveState::Accepted,
            Some(accepted) => LiveState::Changed { was: accepted.digest, now },
            None => LiveState::New { now },
        }
    }
}

#[cfg(test)]
mod tests;
