//! Records the new definitions in a list. Other processes may hold the file, so a separate thread
//! writes it. Only the client that requested the list waits for the lock, and not for long.
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use overt_wire::text::error_chain;
use tokio::time::timeout;

use super::finding::FindingKind;
use super::guard::{PinGuard, PinMode};
use super::listing::Listing;
use super::record::{ListingChanges, Record};
use super::store::StoreError;

/// How long a list waits to be recorded, except in strict mode.
const MAX_RECORD_WAIT: Duration = Duration::from_millis(500);
/// How long nothing is written after another process held the file for too long, except in strict
/// mode.
const RECORD_PAUSE: Duration = Duration::from_secs(10);

impl PinGuard {
    /// Records the new definitions in a list. In strict mode the list is checked against the
    /// record, so this function waits until it is written. Otherwise it returns after
    /// [`MAX_RECORD_WAIT`], and writing continues.
    pub(super) async fn remember(&self, listing: &Arc<Listing>) {
        if self.is_remembered(listing) {
            return;
        }
        let written = async {
            let one_at_a_time = Arc::clone(&self.0.writing).lock_owned().await;
            if self.is_remembered(listing) {
                return;
            }
            let (guard, listing) = (self.clone(), Arc::clone(listing));
            let writing = tokio::task::spawn_blocking(move || {
                let _one_at_a_time = one_at_a_time;
                guard.write_down(&listing);
            });
            if writing.await.is_err() {
                tracing::error!("writing the pins failed");
            }
        };
        match self.0.mode {
            PinMode::Strict => written.await,
            PinMode::Warn | PinMode::Off => drop(timeout(MAX_RECORD_WAIT, written).await),
        }
    }

    /// Whether there is nothing to write, or nothing can be written now.
    fn is_remembered(&self, listing: &Listing) -> bool {
        let mut known = self.state();
        self.renew(&mut known);
        let is_paused =
            self.0.mode != PinMode::Strict && known.paused_until.is_some_and(|then| Instant::now() < then);
        known.broken.is_some() || is_paused || known.live.record().is_some_and(|record| record.knows(listing))
    }

    /// Writes the record. Blocks while another process holds the file.
    fn write_down(&self, listing: &Listing) {
        let now = now();
        let identity = &self.0.identity;
        let noted = self.0.store.update(identity, |record| {
            let first = record.is_none();
            let mut record = record.unwrap_or_else(|| Record::new(identity.clone(), now));
            let noticed = record.note(listing, now);
            (Some(record.clone()), (record, first, noticed))
        });
        match noted {
            Ok((record, first, noticed)) => self.written(listing, record, first, noticed),
            Err(error) => self.not_written(&error),
        }
    }

    fn written(&self, listing: &Listing, record: Record, first: bool, noticed: ListingChanges) {
        let version = self.0.store.version(&self.0.identity);
        let elsewhere = first.then(|| self.compare_elsewhere(&record)).flatten();
        let mut known = self.state();
        known.version = version;
        known.paused_until = None;
        known.live.renew(Some(record));
        // Pages without findings may have some now, for example if a new tool was removed again.
        known.familiar.clear();
        drop(known);
        if first {
            self.report(FindingKind::FirstContact { tools: listing.tools.len() });
        }
        elsewhere.into_iter().for_each(|what| self.report(what));
        self.report_noticed(noticed);
    }

    fn not_written(&self, error: &StoreError) {
        let mut known = self.state();
        if !error.is_locked() {
            self.break_off(&mut known, error);
            known.stale = true;
            return;
        }
        // The record can still be read, so tools are still checked against it.
        known.paused_until = Some(Instant::now() + RECORD_PAUSE);
        let why = error_chain(error);
        if known.complained.as_ref() != Some(&why) {
            known.complained = Some(why);
            drop(known);
            self.report(FindingKind::Locked { path: self.0.store.lock_path() });
        }
    }

    /// Compares a new server with the same server in other directories. Differences are only
    /// reported: it may be another program with the same command line.
    fn compare_elsewhere(&self, record: &Record) -> Option<FindingKind> {
        let others = self.0.store.elsewhere(&self.0.identity);
        others.into_iter().find_map(|other| {
            let tools = record.differing_from(&other);
            let directory = other.identity.directory()?.to_owned();
            (tools > 0).then_some(FindingKind::DiffersElsewhere { tools, directory })
        })
    }
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
