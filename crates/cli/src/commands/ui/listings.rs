//! Lists that are too long for one answer. The position in each is kept, so that the next page
//! continues there and shows nothing twice.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use overt_layers::seal::random_name;
use overt_state::audit::{Action, Actions};

use crate::settings::Condition;

/// The lists that can be continued. When there are too many, the oldest is dropped.
#[derive(Debug, Default)]
pub(super) struct Listings {
    kept: Mutex<VecDeque<(String, Listing)>>,
}

/// Actions that meet the conditions, the newest first.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) actions: Actions,
    pub(super) conditions: Vec<Condition>,
}

/// The most lists that are kept: one for each window that a person may have open.
const MOST_KEPT: usize = 16;

impl Listings {
    /// Keeps a list and returns its name.
    pub(super) fn keep(&self, listing: Listing) -> String {
        let name = random_name();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((name.clone(), listing));
        if kept.len() > MOST_KEPT {
            kept.pop_front();
        }
        name
    }

    /// Takes a list out. Returns `None` if it is not kept any more.
    pub(super) fn take(&self, name: &str) -> Option<Listing> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == name)?;
        kept.remove(at).map(|(_, listing)| listing)
    }
}

impl Iterator for Listing {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let Self { actions, conditions } = self;
        actions.find(|action| conditions.iter().all(|condition| condition.takes(action)))
    }
}
