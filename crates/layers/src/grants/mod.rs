//! What people have allowed beyond what is configured, and what they are being asked. Where it is kept is the store's
//! business: nothing here touches a file.
mod grant; // what was allowed, to whom, for how long
mod question; // what somebody is asked, and the answer
mod store; // who keeps both

pub use grant::{Grant, GrantId, Holder, Lasts, Terms};
pub use question::{Answer, Question, QuestionId};
pub use store::{GrantStore, StoreError};
