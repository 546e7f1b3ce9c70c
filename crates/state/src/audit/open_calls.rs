//! The calls that have an intent and no outcome yet. After a crash, each of them gets an outcome.
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use overt_layers::audit::Kind;

use super::draft::Draft;
use super::error::AuditError;
use super::line::{Members, Record};
use super::segment::{Line, Segment};

/// The most calls that are tracked at the same time. Further calls are only counted, and a recovery
/// record reports how many there were.
pub(super) const MOST_OPEN: usize = 4096;

/// The member that lists open calls, and the member that counts calls that are not listed.
const OPEN: &str = "open";
const NOT_LISTED: &str = "open_not_listed";

/// The open calls, each with the context from its intent, as far as that was read.
#[derive(Debug, Default, Clone)]
pub(super) struct OpenCalls {
    calls: HashMap<Arc<str>, CallContext>,
    /// Calls that began while the list was full. Whether they ended is unknown.
    not_listed: u64,
}

/// The effect of a record on the open calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Begun(Arc<str>),
    Ended(Arc<str>),
}

/// The members that the records of a call share.
pub(super) type CallContext = Vec<(&'static str, String)>;

const ABOUT: [&str; 9] =
    ["agent", "method", "principal", "project", "server", "server_id", "session", "target", "trace"];

impl OpenCalls {
    /// Applies a record that is on disk. Stores no context of the call.
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Begun(call) => self.begin(call, CallContext::new()),
            Change::Ended(call) => self.end(&call),
        }
    }

    /// Applies a record that was read.
    pub(super) fn read(&mut self, kind: Option<Kind>, record: &Record) {
        match kind {
            Some(Kind::Intent) => self.begin(record.text("call").into(), about(record)),
            Some(Kind::Outcome) => self.end(&record.text("call")),
            Some(Kind::Segment) => {
                record.list(OPEN).into_iter().for_each(|call| self.begin(call.into(), CallContext::new()));
                self.not_listed = self.not_listed.max(record.number(NOT_LISTED).unwrap_or_default());
            }
            Some(Kind::Recovery) => self.not_listed = 0,
            _ => {}
        }
    }

    /// Returns whether a record lists open calls.
    pub(super) fn are_in(record: &Record) -> bool {
        !record.list(OPEN).is_empty() || record.number(NOT_LISTED).is_some()
    }

    /// Adds the list of calls to a record.
    pub(super) fn describe(&self, members: &mut Members) {
        members.strings(OPEN, &self.sorted());
        self.describe_not_listed(members);
    }

    pub(super) fn describe_not_listed(&self, members: &mut Members) {
        if self.not_listed > 0 {
            members.number(NOT_LISTED, self.not_listed);
        }
    }

    fn begin(&mut self, call: Arc<str>, about: CallContext) {
        if call.is_empty() {
            return;
        }
        let is_full = self.calls.len() >= MOST_OPEN;
        match self.calls.entry(call) {
            Entry::Occupied(_) => {}
            Entry::Vacant(_) if is_full => self.not_listed += 1,
            Entry::Vacant(place) => {
                place.insert(about);
            }
        }
    }

    fn end(&mut self, call: &str) {
        self.calls.remove(call);
    }

    pub(super) fn are_all_known(&self) -> bool {
        self.calls.values().all(|about| !about.is_empty())
    }

    /// Reads the context of calls that are known only by id from their intents.
    pub(super) fn look_up(&mut self, segment: &Segment) -> Result<(), AuditError> {
        let mut lines = segment.lines()?;
        while let Some(line) = lines.next()? {
            let Line::Whole(text) = line else { continue };
            let Ok(record) = Record::parse(&text) else { continue };
            let known = self.calls.get_mut(record.text("call").as_str()).filter(|about| about.is_empty());
            if let Some(unknown) = known.filter(|_| record.text("kind") == Kind::Intent.to_string()) {
                *unknown = about(&record);
            }
        }
        Ok(())
    }

    /// Returns the ids in order, so that the same calls give the same record.
    pub(super) fn sorted(&self) -> Vec<Arc<str>> {
        let mut calls: Vec<Arc<str>> = self.calls.keys().cloned().collect();
        calls.sort_unstable();
        calls
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(super) fn about(&self, call: &str) -> &[(&'static str, String)] {
        self.calls.get(call).map_or(&[], Vec::as_slice)
    }

    pub(super) fn not_listed(&self) -> u64 {
        self.not_listed
    }

    /// Resets the count of calls that are not listed, after a record has reported it.
    pub(super) fn forget_not_listed(&mut self) {
        self.not_listed = 0;
    }
}

impl Change {
    /// Returns the effect that a record of this draft has.
    pub(super) fn of(draft: &Draft) -> Option<Self> {
        match draft.kind {
            Kind::Intent => Some(Self::Begun(Arc::clone(&draft.call))),
            Kind::Outcome => Some(Self::Ended(Arc::clone(&draft.call))),
            _ => None,
        }
    }
}

fn about(record: &Record) -> CallContext {
    ABOUT.into_iter().map(|name| (name, record.text(name))).filter(|(_, text)| !text.is_empty()).collect()
}
