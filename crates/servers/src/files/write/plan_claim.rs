//! Claims what a plan turns out to be about, and room for contents, while the plan is made.
use std::sync::{Mutex, PoisonError};

use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};
use super::super::work::ContentRoom;
use super::claim::{Claim, Claims};

/// Bytes of contents that need no room of their own.
const SMALL: u64 = 256 << 10;

/// Claims what a plan turns out to be about. A plan that has to wait for its turn is made anew.
#[derive(Debug)]
pub(crate) struct PlanClaim {
    claims: Claims,
    state: Mutex<PlanClaimState>,
}

#[derive(Debug, Default)]
struct PlanClaimState {
    claim: Option<Claim>,
    /// The plan was given up because another call has claimed the same.
    is_waiting: bool,
    /// Room for contents.
    room: Option<ContentRoom>,
    /// The plan was given up because it needs room for so many bytes.
    needs_room: Option<u64>,
    /// The earlier change that the plan undoes.
    undoes: Option<String>,
}

impl PlanClaim {
    pub(crate) fn new(claims: &Claims) -> Self {
        Self { claims: claims.clone(), state: Mutex::default() }
    }

    /// Fails if another call has claimed it; then wait for [`turn`](Self::turn).
    pub(crate) fn take(&self, paths: Vec<AbsolutePath>) -> Result<(), FileError> {
        let mut state = self.state();
        if !state.claim.as_ref().is_some_and(|claim| claim.covers(&paths)) {
            state.claim = Some(self.claims.claim(paths)?);
        }
        state.is_waiting = !state.claim.as_ref().is_some_and(Claim::is_held);
        if state.is_waiting {
            return Err(FileError::new(code::BUSY, "another call is changing it", "Call again."));
        }
        Ok(())
    }

    /// The claim that a plan was given up for; it is put back once it is held. A plan that waits
    /// for a claim holds no room.
    pub(crate) fn turn(&self) -> Option<Claim> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_waiting) {
            return None;
        }
        state.room = None;
        state.claim.take()
    }

    /// Fails if there is no room yet for so many bytes of contents; then
    /// [`needed_room`](Self::needed_room) is to be waited for. To be called once the claim is held,
    /// so that no plan holds room while it waits for another one that waits for room.
    pub(crate) fn take_room(&self, bytes: u64) -> Result<(), FileError> {
        let mut state = self.state();
        // What is small is bounded by the number of jobs.
        if bytes <= SMALL || state.room.as_ref().is_some_and(|room| room.holds(bytes)) {
            return Ok(());
        }
        (state.room, state.needs_room) = (None, Some(bytes));
        Err(FileError::new(code::BUSY, "other changes take all the memory for contents", "Call again."))
    }

    /// What a plan was given up for.
    pub(crate) fn needed_room(&self) -> Option<u64> {
        self.state().needs_room.take()
    }

    pub(crate) fn put_room(&self, room: ContentRoom) {
        self.state().room = Some(room);
    }

    pub(crate) fn taken_room(&self) -> Option<ContentRoom> {
        self.state().room.take()
    }

    pub(crate) fn put_back(&self, claim: Claim) {
        self.state().claim = Some(claim);
    }

    /// The plan undoes an earlier change.
    pub(crate) fn undo(&self, change: String) {
        self.state().undoes = Some(change);
    }

    pub(crate) fn undone(&self) -> Option<String> {
        self.state().undoes.take()
    }

    pub(crate) fn claimed(&self) -> Option<Claim> {
        self.state().claim.take()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, PlanClaimState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
