//! What a person changes. Every such change takes one path: authorise the person, record the
//! intent, apply the change, record the outcome. What writes it takes an [`Authorised`] action,
//! which only this path makes.
mod channel; // how a person's words reach Overt, and how far they may reach
mod check; // finding out that a person acts
mod action; // the path
mod changes; // the changes of what is kept for people

pub use action::{Authorised, NotDone, PersonAction, act, refused};
pub use changes::{ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust, TrustScope};
pub use channel::{Channel, Reach};
pub use check::{Person, PersonCheck};
