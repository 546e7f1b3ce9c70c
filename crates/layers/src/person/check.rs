//! Finding out that a person acts, and who.
use std::fmt;

use overt_wire::Principal;

use super::channel::{Channel, Reach};

/// A person, as far as a check shows one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub principal: Principal,
    pub channel: Channel,
}

/// Finds out whether a person acts.
pub trait PersonCheck {
    /// Why no person is shown.
    type Refusal: fmt::Display;

    /// Returns the person who acts now.
    fn person(&self) -> Result<Person, Self::Refusal>;

    /// Returns who acts if that need not be a person, because the change only restricts.
    fn anybody(&self) -> Person;
}

impl Person {
    pub fn reach(&self) -> Reach {
        self.channel.reach()
    }
}
