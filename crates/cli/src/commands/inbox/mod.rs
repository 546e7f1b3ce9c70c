//! What waits for a person, and the person's answers: for `overt watch` and `overt ui`.
mod letters; // which letter and which word stands for which answer
mod store; // what is open, what is answered, what is taken back

pub(super) use letters::{OF_CALLS, OF_TRUST, Reply, letters_of};
pub(super) use store::InboxStore;
