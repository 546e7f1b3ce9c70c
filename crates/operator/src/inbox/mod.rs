//! Questions that wait for a person, and the person's answers, for `overt watch` and `overt ui`.
mod letters; // the letters and words for answers
mod store; // open questions, answers, and taking answers back

pub use letters::{Letter, OF_CALLS, OF_TRUST, Reply, letters_of};
pub use store::{InboxCheck, InboxStore, failure_words};
