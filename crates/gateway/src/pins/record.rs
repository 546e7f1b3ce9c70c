//! The record of one server: which definitions a person accepted, and which others were seen since.
//! Pure.
use std::collections::BTreeMap;

use super::definition::Definition;
use super::digest::Digest;
use super::identity::Identity;
use super::listing::{ListedDefinition, Listing, MAX_TOOLS};

/// The most bytes of definitions that are kept for one server. As JSON they may double in size, and
/// must still be readable.
const MAX_TEXTS: usize = 5 << 20;

/// The record of one server. Times are in seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub identity: Identity,
    pub first_seen: u64,
    /// Whether the first list was seen completely. Until then, unknown tools are accepted (trust on
    /// first use).
    pub complete: bool,
    pub tools: BTreeMap<String, Pin>,
}

/// The pin of one tool. It remains when the server removes the tool, so that another tool under the
/// same name is noticed (CARD-02).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pin {
    /// `None` for a tool that appeared after the first list and is not accepted yet.
    pub accepted: Option<Definition>,
    pub accepted_at: u64,
    /// The last definition that differs from the accepted one.
    pub unaccepted: Option<Definition>,
    pub unaccepted_at: u64,
    /// Whether the server sent two definitions in one list.
    pub twice: bool,
    /// The unaccepted definition that a person was shown last.
    pub shown: Option<Digest>,
    /// How often a person decided to keep the accepted definition.
    pub kept: u64,
    /// When the tool disappeared from the server's list. `None` while it is listed.
    pub gone_at: Option<u64>,
    /// Whether its lists were seen in several orders. This was reported to a person.
    pub varies: bool,
}

/// Changes in a list that need no decision. Each is reported once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListingChanges {
    /// Tools that the server no longer lists.
    pub removed: Vec<String>,
    /// Tools whose descriptions list the same items in another order than the accepted one.
    pub reordered: Vec<String>,
}

/// The state of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Accepted,
    New,
    Changed,
    Conflicting,
    /// The tool was accepted, and the server no longer lists it.
    Removed,
}

/// A person's decision about a definition that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The definition becomes the accepted one.
    Accept,
    /// The accepted definition stays, and the one that was seen is forgotten.
    Keep,
}

/// Why a person's decision about a tool can't be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PinDecisionError {
    #[error("there is no such tool")]
    Unknown,
    #[error("nothing but the accepted definition was seen")]
    Nothing,
    #[error("the server showed two definitions of it in one list; there is no telling which one it means")]
    Conflicting,
    #[error("it changed again after it was shown to you")]
    ChangedSince,
}

// === impl Record ===

impl Record {
    pub fn new(identity: Identity, now: u64) -> Self {
        Self { identity, first_seen: now, complete: false, tools: BTreeMap::new() }
    }

    /// Whether the record already has everything in a list.
    pub fn knows(&self, listing: &Listing) -> bool {
        let is_known = |(name, shown): (&String, &ListedDefinition)| match self.tools.get(name) {
            Some(pin) => pin.knows(shown) && pin.gone_at.is_none() && !pin.is_reordered(shown),
            None => self.tools.len() >= MAX_TOOLS,
        };
        (self.complete || listing.more)
            && listing.tools.iter().all(is_known)
            && self.missing_from(listing).next().is_none()
    }

    /// Adds a list from the server. Returns the changes to report.
    pub fn note(&mut self, listing: &Listing, now: u64) -> ListingChanges {
        let mut noticed = ListingChanges {
            removed: self.missing_from(listing).map(str::to_owned).collect(),
            ..ListingChanges::default()
        };
        for name in &noticed.removed {
            self.tools.entry(name.clone()).and_modify(|pin| pin.gone_at = Some(now));
        }
        for (name, shown) in &listing.tools {
            let Some(pin) = self.tools.get_mut(name) else { continue };
            pin.gone_at = None;
            if pin.is_reordered(shown) {
                pin.varies = true;
                noticed.reordered.push(name.clone());
            }
        }
        let mut room = MAX_TEXTS.saturating_sub(self.text_len());
        for (name, shown) in &listing.tools {
            let known = self.tools.get(name);
            if known.is_some_and(|pin| pin.knows(shown)) || (known.is_none() && self.tools.len() >= MAX_TOOLS)
            {
                continue;
            }
            let is_trusted = known.is_none() && !self.complete && matches!(shown, ListedDefinition::Once(_));
            let pin = self.tools.entry(name.clone()).or_default();
            let definition = shown.differing_from(pin.accepted.as_ref()).within(&mut room);
            if is_trusted {
                (pin.accepted, pin.accepted_at) = (Some(definition), now);
            } else {
                (pin.unaccepted, pin.unaccepted_at) = (Some(definition), now);
                pin.twice |= matches!(shown, ListedDefinition::Twice(..));
            }
        }
        self.complete |= !listing.more;
        noticed
    }

    /// Returns accepted tools that are missing from a complete list and were not missing before.
    fn missing_from<'a>(&'a self, listing: &'a Listing) -> impl Iterator<Item = &'a str> {
        let is_missing = |(name, pin): &(&String, &Pin)| {
            listing.is_complete
                && pin.accepted.is_some()
                && pin.gone_at.is_none()
                && !listing.tools.contains_key(*name)
        };
        self.tools.iter().filter(is_missing).map(|(name, _)| name.as_str())
    }

    /// Applies a person's decision about one tool.
    pub fn decide(&mut self, tool: &str, decision: Decision, now: u64) -> Result<(), PinDecisionError> {
        let pin = self.tools.get_mut(tool).ok_or(PinDecisionError::Unknown)?;
        if pin.state() == State::Removed && decision == Decision::Accept {
            // If the tool comes back, it is a new tool.
            self.tools.remove(tool);
            return Ok(());
        }
        let seen = pin.unaccepted.as_ref().ok_or(PinDecisionError::Nothing)?;
        match decision {
            Decision::Accept if pin.twice => return Err(PinDecisionError::Conflicting),
            Decision::Accept if pin.shown.is_some_and(|shown| shown != seen.digest) => {
                return Err(PinDecisionError::ChangedSince);
            }
            Decision::Accept => {
                pin.accepted = pin.unaccepted.take();
                pin.accepted_at = now;
                pin.varies = false;
            }
            Decision::Keep if pin.accepted.is_none() => {
                self.tools.remove(tool);
                return Ok(());
            }
            Decision::Keep => {
                pin.kept += 1;
                pin.unaccepted = None;
                pin.twice = false;
            }
        }
        pin.shown = None;
        Ok(())
    }

    /// Accepts a tool if its last definition is the one that a person was shown, whatever they were
    /// shown before. Returns whether it is accepted now.
    pub fn accept_shown(&mut self, tool: &str, shown: Digest, now: u64) -> bool {
        let Some(pin) = self.tools.get_mut(tool) else { return false };
        if pin.unaccepted.as_ref().is_none_or(|seen| seen.digest != shown) {
            return false;
        }
        pin.shown = Some(shown);
        self.decide(tool, Decision::Accept, now).is_ok()
    }

    /// Records that a person was shown this definition, which is not accepted yet.
    pub fn show(&mut self, tool: &str, digest: Digest) {
        if let Some(pin) = self.tools.get_mut(tool) {
            pin.shown = Some(digest);
        }
    }

    /// Returns the number of tools whose accepted definitions differ from those of the other
    /// record.
    pub(super) fn differing_from(&self, other: &Self) -> usize {
        let differs = |(name, pin): &(&String, &Pin)| {
            let accepted = other.tools.get(*name).and_then(|other| other.accepted.as_ref());
            accepted.is_some_and(|accepted| !pin.accepts(accepted.digest))
        };
        self.tools.iter().filter(differs).count()
    }

    /// Returns the tools that need a person's decision.
    pub fn waiting(&self) -> impl Iterator<Item = (&str, &Pin)> {
        self.tools
            .iter()
            .filter(|(_, pin)| !matches!(pin.state(), State::Accepted | State::Removed))
            .map(|(name, pin)| (name.as_str(), pin))
    }

    /// Returns the tools that the server no longer lists.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|(_, pin)| pin.state() == State::Removed).map(|(name, _)| name.as_str())
    }

    fn text_len(&self) -> usize {
        let texts = self.tools.values().flat_map(|pin| [&pin.accepted, &pin.unaccepted]);
        texts
            .flatten()
            .filter_map(|definition| definition.text.as_ref())
            .map(|text| text.as_str().len())
            .sum()
    }
}

// === impl Pin ===

impl Pin {
    pub fn state(&self) -> State {
        match (&self.accepted, &self.unaccepted) {
            (_, Some(_)) if self.twice => State::Conflicting,
            (Some(_), Some(_)) => State::Changed,
            (None, _) => State::New,
            (Some(_), None) if self.gone_at.is_some() => State::Removed,
            (Some(_), None) => State::Accepted,
        }
    }

    pub(super) fn accepts(&self, digest: Digest) -> bool {
        self.accepted.as_ref().is_some_and(|accepted| accepted.digest == digest)
    }

    /// Whether the server shows the accepted definition with its lists in another order for the
    /// first time.
    fn is_reordered(&self, shown: &ListedDefinition) -> bool {
        let (Some(accepted), ListedDefinition::Once(now)) = (&self.accepted, shown) else { return false };
        let differs = accepted.exact.is_some() && now.exact.is_some() && accepted.exact != now.exact;
        !self.varies && accepted.digest == now.digest && differs
    }

    /// Whether the pin already has the definition that the server shows.
    fn knows(&self, shown: &ListedDefinition) -> bool {
        let digest = shown.differing_from(self.accepted.as_ref()).digest;
        let was_seen = self.unaccepted.as_ref().is_some_and(|seen| seen.digest == digest);
        match shown {
            ListedDefinition::Once(_) => was_seen || self.accepts(digest),
            ListedDefinition::Twice(..) => was_seen && self.twice,
        }
    }
}
