//! Compares the lists that this process has seen with the record. A difference remains until a
//! person decides, whatever the server lists afterwards: it may send different lists to different
//! requests (CARD-03). Pure.
use std::collections::BTreeMap;

use super::digest::Digest;
use super::listing::{ListedDefinition, Listing};
use super::record::{Pin, Record};

/// The record, and the tools that were listed since this process started.
#[derive(Debug, Default)]
pub(super) struct LivePins {
    record: Option<Record>,
    live: BTreeMap<String, Live>,
}

/// The state of a tool in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiveState {
    Accepted,
    /// The tool was not in the server's first list.
    New {
        now: Digest,
    },
    Changed {
        was: Digest,
        now: Digest,
    },
    /// One list had the tool twice, with different definitions.
    Conflicting {
        now: Digest,
    },
    /// No list that was checked has the tool.
    Unlisted,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    /// The definition that was seen last, or the difference that a person must decide about.
    digest: Digest,
    differs: bool,
    twice: bool,
    /// The pin's `kept` count when the difference was seen.
    kept: u64,
}

impl LivePins {
    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Replaces the record. Differences that a person has decided about are resolved. A tool that
    /// was kept or forgotten must be listed again before it counts.
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

    /// Adds a list that is already in the record. Returns its tools that are not accepted.
    pub(super) fn add_list<'a>(&mut self, listing: &'a Listing) -> Vec<(&'a str, LiveState)> {
        let Some(record) = &self.record else { return Vec::new() };
        let mut findings = Vec::new();
        for (name, shown) in &listing.tools {
            // A tool without room in the record stays unlisted.
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
