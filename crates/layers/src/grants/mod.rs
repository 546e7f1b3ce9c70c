//! What people have allowed beyond the configuration, and what they are being asked. The store
//! decides where this is kept; nothing here touches a file.
mod error; // the error of a store
mod grant; // what was allowed, to whom, for how long
mod question; // what a person is asked
mod answer; // an answer and the grant that follows from it
mod choices; // the answers that a question offers
mod wording; // a question as text
mod candidates; // what a person's answers may change about one call
mod store; // the interface of what is kept for people and their clients
mod index; // an index of grants, which avoids a scan of all of them
mod pending; // open questions: without duplicates, limited in number, first answer counts
mod token; // a grant as text that a client carries but cannot change
mod clock; // the current time
mod memory; // a store in memory

pub use answer::{Answer, AnswerEffects, AnswerOutcome, DecidedAnswer, Extent, GivenTrust, PendingQuestion};
pub use candidates::{
    CandidateQuery, Candidates, Reliance, SeenTool, Spent, ToolTrust, TrustedServerKey, TrustedTool,
};
pub use choices::{AnswerKind, Choice, WORKDAY};
pub use clock::Clock;
pub use error::StoreError;
pub use grant::{
    GivenGrant, Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, Holder, HolderClient, Need, Terms,
    every_scope, too_wide_to_last,
};
pub use index::{GrantIndex, wider_or_same};
pub use memory::MemoryStore;
pub use pending::{Pace, PendingApprovals};
pub use question::{
    ANSWERABLE, AskOutcome, Breadth, Broader, GRACE, Question, QuestionDetails, QuestionId, QuestionKind,
    Redefinition, Review,
};
pub use store::{QuestionState, StateStore, StoreFuture, TrustedServer};
pub use token::Tokens;
