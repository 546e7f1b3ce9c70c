//! Checks every list of tools that passes, and decides about calls by what it has seen. It changes
//! no answer: [`Authorize`](overt_layers::Authorize) hides and refuses tools based on its decision.
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_layers::{Refusal, Veto, VetoSubject};
use overt_wire::Message;
use overt_wire::json::JsonBuf;
use overt_wire::text::error_chain;
use overt_wire::view::Page;

use super::digest::Digest;
use super::finding::{Finding, FindingKind};
use super::guard_state::{GuardState, make_room};
use super::identity::Identity;
use super::listing::Listing;
use super::live::LiveState;
use super::record::ListingChanges;
use super::store::{PinStore, StoreError};

/// How to treat a definition that is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinMode {
    /// No list is checked or remembered.
    Off,
    /// Report it.
    #[default]
    Warn,
    /// Report it, and hold the tool back: it is neither listed nor called.
    Strict,
}

/// Which part of a list was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPage {
    First,
    Later,
}

/// Receives findings. It is called within a request and must not block.
pub type Report = Arc<dyn Fn(&Finding) + Send + Sync>;

/// The pins of one upstream. Clones share their state. One clone is for the options of the
/// [`Gateway`](crate::Gateway), which shows it the lists that pass; another one is the veto of the
/// layers in front of it.
#[derive(Clone)]
pub struct PinGuard(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) mode: PinMode,
    pub(super) store: PinStore,
    pub(super) identity: Identity,
    report: Report,
    /// Locked only briefly, never while the file is locked or written.
    state: Mutex<GuardState>,
    /// Locked by the one thread that writes.
    pub(super) writing: Arc<tokio::sync::Mutex<()>>,
}

/// The most findings that are reported for one list.
const MAX_FINDINGS: usize = 20;

// === impl PinGuard ===

impl PinGuard {
    /// Makes a guard and reads the server's record. A failure is reported as a finding.
    pub fn new(mode: PinMode, store: PinStore, identity: Identity, report: Report) -> Self {
        let (state, writing) = (Mutex::default(), Arc::default());
        let guard = Self(Arc::new(Shared { mode, store, identity, report, state, writing }));
        if mode != PinMode::Off {
            let mut known = guard.state();
            match guard.0.store.adopt_earlier(&guard.0.identity) {
                Ok(()) => guard.read(&mut known),
                Err(error) => guard.break_off(&mut known, &error),
            }
        }
        guard
    }

    pub fn mode(&self) -> PinMode {
        self.0.mode
    }

    /// Whether calls depend on a list and none was seen yet. Until then, every verdict is a
    /// refusal.
    pub fn needs_listing(&self) -> bool {
        self.0.mode == PinMode::Strict && !self.state().listed
    }

    /// Checks a whole list of tools with all its pages.
    pub async fn observe(&self, tools: &[JsonBuf]) {
        if self.0.mode != PinMode::Off {
            self.take_in(Listing::of(tools.iter().map(JsonBuf::as_json), false)).await;
        }
    }

    /// Decides whether the tool may be called, based on the lists seen so far. A tool that was not
    /// seen may not.
    pub fn verdict(&self, tool: &str) -> Result<(), Refusal> {
        if self.0.mode != PinMode::Strict {
            return Ok(());
        }
        let mut known = self.state();
        if known.refusal(&self.0.identity, tool).is_some() {
            // A person may have decided meanwhile.
            self.renew(&mut known);
        }
        match known.refusal(&self.0.identity, tool) {
            Some(reason) => Err(Refusal { reason }),
            None => Ok(()),
        }
    }

    fn is_unseen(&self, tool: &str) -> bool {
        let known = self.state();
        !known.listed && known.broken.is_none() && known.live.state(tool) == LiveState::Unlisted
    }

    /// Checks an answer to `tools/list` on its way to the client. `page` says which part of the
    /// list was requested.
    pub async fn check_page(&self, page: ListPage, answer: &Message) {
        let Some(result) = answer.result_body().value() else { return };
        let Some(tools) = result.get("tools").value().filter(|tools| tools.is_array()) else { return };
        let more = Page(result).next_cursor().is_some();
        let text = Digest::of_text(tools.as_str());
        let is_familiar = {
            let mut known = self.state();
            self.renew(&mut known);
            known.broken.is_none() && !more && known.familiar.contains(&text)
        };
        if is_familiar {
            return;
        }
        let listing = Listing::of(tools.elements(), more);
        let listing = if page == ListPage::First { listing } else { listing.continued() };
        let has_findings = self.take_in(listing).await;
        if !has_findings && !more {
            let mut known = self.state();
            make_room(&mut known.familiar);
            known.familiar.insert(text);
        }
    }

    /// Records a list and reports its tools that are not accepted. Returns whether there are any.
    async fn take_in(&self, listing: Listing) -> bool {
        let listing = Arc::new(listing);
        self.remember(&listing).await;
        self.compare(&listing)
    }

    fn compare(&self, listing: &Listing) -> bool {
        let mut guarded = self.state();
        let known = &mut *guarded;
        let mut findings: Vec<FindingKind> = Vec::new();
        let mut has_findings = false;
        for (tool, state) in known.live.add_list(listing) {
            let (what, digest, twice) = match state {
                LiveState::New { now } => (FindingKind::New { tool: tool.to_owned(), now }, now, false),
                LiveState::Changed { was, now } => {
                    (FindingKind::Changed { tool: tool.to_owned(), was, now }, now, false)
                }
                LiveState::Conflicting { now } => {
                    (FindingKind::Conflicting { tool: tool.to_owned(), now }, now, true)
                }
                LiveState::Accepted | LiveState::Unlisted => continue,
            };
            has_findings = true;
            make_room(&mut known.reported);
            if known.reported.insert((tool.to_owned(), digest, twice)) {
                findings.push(what);
            }
        }
        known.listed |= !listing.more;
        let rest = findings.len().saturating_sub(MAX_FINDINGS);
        findings.truncate(MAX_FINDINGS);
        if rest > 0 {
            findings.push(FindingKind::More { findings: rest });
        }
        let left_out = FindingKind::LeftOut { tools: listing.left_out };
        if listing.left_out > 0 && known.reported.insert((String::new(), Digest::of_text(""), true)) {
            findings.push(left_out);
        }
        findings.into_iter().for_each(|what| self.report(what));
        has_findings
    }

    pub(super) fn report_noticed(&self, ListingChanges { removed, reordered }: ListingChanges) {
        let removed = removed.into_iter().map(|tool| FindingKind::Removed { tool });
        let reordered = reordered.into_iter().map(|tool| FindingKind::Reordered { tool });
        let mut findings: Vec<FindingKind> = removed.chain(reordered).collect();
        let rest = findings.len().saturating_sub(MAX_FINDINGS);
        findings.truncate(MAX_FINDINGS);
        findings.into_iter().for_each(|what| self.report(what));
        if rest > 0 {
            self.report(FindingKind::More { findings: rest });
        }
    }

    /// Reads the file again if it has changed.
    pub(super) fn renew(&self, known: &mut GuardState) {
        if known.stale || self.0.store.version(&self.0.identity) != known.version {
            self.read(known);
        }
    }

    fn read(&self, known: &mut GuardState) {
        // Get the version before reading: a write in between then causes another read.
        let version = self.0.store.version(&self.0.identity);
        match self.0.store.read(&self.0.identity) {
            Ok(record) => {
                known.forget_reports(record.as_ref());
                known.live.renew(record);
                known.broken = None;
            }
            Err(error) => self.break_off(known, &error),
        }
        // A file whose version can't be read could change unnoticed, so it is always read again.
        (known.version, known.stale) = (version, known.broken.is_some() && version.is_none());
        known.familiar.clear();
    }

    pub(super) fn break_off(&self, known: &mut GuardState, error: &StoreError) {
        let why = error_chain(error);
        if known.complained.as_ref() != Some(&why) {
            self.report(FindingKind::Broken { why: why.clone() });
            known.complained = Some(why.clone());
        }
        known.broken = Some(why);
    }

    pub(super) fn report(&self, what: FindingKind) {
        let is_news = matches!(
            what,
            FindingKind::FirstContact { .. }
                | FindingKind::DiffersElsewhere { .. }
                | FindingKind::Removed { .. }
                | FindingKind::Reordered { .. }
                | FindingKind::Locked { .. }
        );
        let held_back = self.0.mode == PinMode::Strict && !is_news;
        let (server, label) = (self.0.identity.id(), self.0.identity.label());
        (self.0.report)(&Finding { server, label, what, held_back });
    }

    pub(super) fn state(&self) -> MutexGuard<'_, GuardState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Veto for PinGuard {
    fn check(&self, subject: VetoSubject<'_>) -> Result<(), Refusal> {
        match subject {
            // The verdict is not known before the first list. The gateway lists the tools before it
            // forwards a call, and asks for the verdict then.
            VetoSubject::CallTool(tool) if self.is_unseen(tool) => Ok(()),
            VetoSubject::CallTool(tool) => self.verdict(tool),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for PinGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PinGuard").field(&self.0.mode).field(&self.0.identity).finish()
    }
}
