//! Claims paths and memory as a plan finds out what it needs.
use std::sync::{Mutex, PoisonError};

use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};
use super::super::work::ContentRoom;
use super::claim::{Claim, Claims};

/// Contents up to this many bytes need no reservation.
const SMALL: u64 = 256 << 10;

/// The claims of one plan in progress. A plan that has to wait for its turn is made again from the
/// start.
#[derive(Debug)]
pub(crate) struct PlanClaim {
    claims: Claims,
    state: Mutex<PlanClaimState>,
}

#[derive(Debug, Default)]
struct PlanClaimState {
    claim: Option<Claim>,
    /// The plan was given up because another call has claimed one of its paths.
    is_waiting: bool,
    /// Memory reserved for contents.
    room: Option<ContentRoom>,
    /// The plan was given up because it needs this many bytes of memory.
    needs_room: Option<u64>,
    /// The id of the earlier change that the plan undoes.
    undoes: Option<String>,
}

impl PlanClaim {
    pub(crate) fn new(claims: &Claims) -> Self {
        Self { claims: claims.clone(), state: Mutex::default() }
    }

    /// Claims the paths. Fails if another call has claimed one of them; the caller then waits for
    /// [`turn`](Self::turn).
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

    /// Returns the claim that the plan was given up for. The caller waits for it and puts it back.
    /// A plan that waits for a claim gives up its memory.
    pub(crate) fn turn(&self) -> Option<Claim> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_waiting) {
            return None;
        }
        state.room = None;
        state.claim.take()
    }

    /// Fails if `bytes` of content don't fit in memory yet; the caller then waits for
    /// [`needed_room`](Self::needed_room). Must be called while the claim is held, so that no plan
    /// holds memory while it waits for another plan that waits for memory.
    pub(crate) fn take_room(&self, bytes: u64) -> Result<(), FileError> {
        let mut state = self.state();
        // Small contents are bounded by the number of jobs.
        if bytes <= SMALL || state.room.as_ref().is_some_and(|room| room.holds(bytes)) {
            return Ok(());
        }
        (state.room, state.needs_room) = (None, Some(bytes));
        Err(FileError::new(code::BUSY, "other changes take all the memory for contents", "Call again."))
    }

    /// Returns the bytes that the plan was given up for.
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

    /// Notes that the plan undoes an earlier change.
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
