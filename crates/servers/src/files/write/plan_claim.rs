//! Claims paths and memory as a plan finds out what it needs.
use std::cell::RefCell;

use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};
use super::super::journal::KeepError;
use super::super::work::ContentRoom;
use super::claim::{Claim, Claims};

/// Contents up to this many bytes need no reservation.
const SMALL: u64 = 256 << 10;

/// What a plan in progress has claimed.
#[derive(Debug)]
pub(crate) struct PlanClaim {
    claims: Claims,
    claim: RefCell<Option<Claim>>,
    /// Memory reserved for contents.
    room: RefCell<Option<ContentRoom>>,
}

/// Why there is no plan.
#[derive(Debug)]
pub(crate) enum Unplanned {
    /// Another call has claimed a path of the plan. Plan again when this claim is held.
    Waits(Claim),
    /// The plan needs this many bytes of memory. Plan again when they are reserved.
    NeedsRoom(u64),
    Failed(FileError),
}

impl PlanClaim {
    pub(crate) fn new(claims: &Claims) -> Self {
        Self { claims: claims.clone(), claim: RefCell::default(), room: RefCell::default() }
    }

    /// Continues with a claim whose turn has come.
    pub(crate) fn with_claim(claims: &Claims, claim: Claim) -> Self {
        Self { claim: RefCell::new(Some(claim)), ..Self::new(claims) }
    }

    #[must_use]
    pub(crate) fn with_room(self, room: ContentRoom) -> Self {
        Self { room: RefCell::new(Some(room)), ..self }
    }

    /// Claims the paths.
    pub(crate) fn take(&self, paths: Vec<AbsolutePath>) -> Result<(), Unplanned> {
        let mut claim = self.claim.borrow_mut();
        if !claim.as_ref().is_some_and(|claim| claim.covers(&paths)) {
            *claim = Some(self.claims.claim(paths)?);
        }
        claim.take_if(|claim| !claim.is_held()).map_or(Ok(()), |claim| Err(Unplanned::Waits(claim)))
    }

    /// Reserves memory. Must be called while the claim is held, so that no plan holds memory while
    /// it waits for another plan that waits for memory.
    pub(crate) fn take_room(&self, bytes: u64) -> Result<(), Unplanned> {
        let mut room = self.room.borrow_mut();
        // Small contents are bounded by the number of jobs.
        if bytes <= SMALL || room.as_ref().is_some_and(|room| room.holds(bytes)) {
            return Ok(());
        }
        *room = None;
        Err(Unplanned::NeedsRoom(bytes))
    }

    /// Returns what the plan has claimed, for the change.
    pub(crate) fn into_parts(self) -> (Option<Claim>, Option<ContentRoom>) {
        (self.claim.into_inner(), self.room.into_inner())
    }
}

impl Unplanned {
    /// Returns the error for a caller that does not wait.
    pub(crate) fn into_error(self) -> FileError {
        match self {
            Self::Waits(_) => FileError::new(code::BUSY, "another call is changing it", "Call again."),
            Self::NeedsRoom(_) => {
                FileError::new(code::BUSY, "other changes take all the memory for contents", "Call again.")
            }
            Self::Failed(error) => error,
        }
    }
}

impl From<FileError> for Unplanned {
    fn from(error: FileError) -> Self {
        Self::Failed(error)
    }
}

impl From<KeepError> for Unplanned {
    fn from(unkept: KeepError) -> Self {
        Self::Failed(unkept.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::work::Workers;
    use super::*;

    fn paths(text: &str) -> Vec<AbsolutePath> {
        vec![AbsolutePath::from_system(text).unwrap()]
    }

    #[tokio::test]
    async fn a_plan_waits_for_its_turn_and_keeps_its_place() {
        let claims = Claims::default();
        let first = PlanClaim::new(&claims);
        first.take(paths("/r/a")).unwrap();
        let second = PlanClaim::new(&claims);
        let Err(Unplanned::Waits(claim)) = second.take(paths("/r/a/x")) else { panic!("it must wait") };
        let later = PlanClaim::new(&claims);
        drop(first);
        claim.wait_until_held().await;
        // A call that came later waits, although the second plan is only now made again.
        assert!(matches!(later.take(paths("/r/a/x")), Err(Unplanned::Waits(_))));
        let again = PlanClaim::with_claim(&claims, claim);
        again.take(paths("/r/a/x")).unwrap();
        assert!(again.into_parts().0.is_some());
    }

    #[tokio::test]
    async fn a_plan_says_how_much_memory_it_needs() {
        let (claims, workers) = (Claims::default(), Workers::default());
        let plan = PlanClaim::new(&claims);
        plan.take_room(SMALL).unwrap();
        assert!(matches!(plan.take_room(1 << 20), Err(Unplanned::NeedsRoom(bytes)) if bytes == 1 << 20));
        let plan = plan.with_room(workers.content_room(1 << 20).await.unwrap());
        plan.take_room(1 << 20).unwrap();
        // What is too little is given back.
        assert!(matches!(plan.take_room(2 << 20), Err(Unplanned::NeedsRoom(_))));
        assert!(plan.into_parts().1.is_none());
    }
}
