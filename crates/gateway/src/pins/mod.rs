//! Remembers the definitions of a server's tools, and notices definitions that a person has not
//! accepted (CARD-01 to CARD-03). Names and definitions come from other servers: escape them
//! wherever they are shown.
mod digest; // digests that don't depend on formatting or order
mod definition; // the definition of a tool
mod identity; // the identity of a server
mod listing; // the tools in a list
mod record; // the record of one server; pure
mod live; // lists compared with the record; pure
mod format; // reads and writes a record as text
mod decide; // a person's decision about remembered tools
mod store; // a file per server
mod finding; // reports for a person
mod guard_state; // the state of a guard, and its refusals
mod remember; // records new definitions without delaying clients
mod guard; // checks lists and decides about calls
mod accept; // accepted definitions, for the layers

pub use decide::{DecidePins, ForgetPins};
pub use definition::Definition;
pub use digest::Digest;
pub use finding::{Finding, FindingKind};
pub use guard::{ListPage, PinGuard, PinMode, Report};
pub use identity::Identity;
pub use listing::Listing;
pub use record::{Decision, ListingChanges, Pin, PinDecisionError, Record, State};
pub use store::{Entry, PinStore, StoreError};
