//! Remembers the definitions of a server's tools, and notices when one is not what a person
//! accepted (CARD-01 to CARD-03). Other servers' names and definitions are in here: escape them
//! wherever they are shown.
mod digest; // one number for a definition, however it is written
mod definition; // the definition of a tool
mod identity; // which server
mod listing; // what a server shows at one time
mod record; // what is remembered of one server; pure
mod live; // what this process has seen, held against the record; pure
mod format; // a record as text
mod store; // a file per server
mod finding; // what a person should know
mod guard_state; // what a guard knows, and why it refuses
mod remember; // writes down what is new, without making clients wait
mod guard; // the live part: looks at lists, answers for calls
mod accept; // what a person accepted, for the layers and from them

pub use definition::Definition;
pub use digest::Digest;
pub use finding::{Finding, FindingKind};
pub use guard::{ListPage, PinGuard, PinMode, Report};
pub use identity::Identity;
pub use listing::Listing;
pub use record::{Decision, ListingChanges, Pin, PinDecisionError, Record, State};
pub use store::{Entry, PinStore, StoreError};
