//! What people have allowed beyond what is configured, and what they are being asked. Where it is
//! kept is the store's business: nothing here touches a file.
mod error; // a store that can't be used
mod grant; // what was allowed, to whom, for how long
mod question; // what a person is asked
mod answer; // the answer, and what it allows
mod choices; // the answers that a question offers
mod wording; // a question in words
mod store; // where both are kept
mod index; // grants, found without looking at all of them
mod pending; // open questions: the same one once, not too many, the first answer counts
mod token; // a grant as text that a client can carry and not change
mod clock; // what time it is
mod memory; // a store without files

pub use answer::{Answer, AnswerOutcome, Extent, PendingQuestion};
pub use choices::{AnswerKind, Choice, WORKDAY};
pub use clock::Clock;
pub use error::StoreError;
pub use grant::{
    Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, Holder, LOCAL, Need, Terms, every_scope,
    too_wide_to_last,
};
pub use index::GrantIndex;
pub use memory::MemoryStore;
pub use pending::{Pace, PendingApprovals};
pub use question::{
    ANSWERABLE, AskOutcome, Breadth, Broader, Question, QuestionDetails, QuestionId, QuestionKind,
    Redefinition, Review,
};
pub use store::{GrantStore, TrustedServer, TrustedTool};
pub use token::Tokens;
