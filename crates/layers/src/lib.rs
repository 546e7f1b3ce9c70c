//! The layers between a client and an endpoint: the gate, the decision and the records. Start with
//! `stack.rs`, which has the order of the layers.
//!
//! **Invariant:** a [`Permitted`] value can be made only in the permit module; only [`Authorize`]
//! turns an [`Endpoint`] into a handler. **Invariant:** one decision function serves listing and
//! calling.
mod stack; // the order of the layers below
pub mod observe; // shows every message to logs, traces and metrics
mod gate; // the handshake of the legacy era, and the methods of each era
mod authorize; // the one bridge from a client to an endpoint
mod tool_catalogue; // the tools of one endpoint, for everything that reads their definitions
mod known_tool; // one of them, and what follows from its definition
mod read_decision; // a decision about something that only reads
pub mod decide; // the decision about a call, with grants and trust; pure
mod permit; // the proof that a call was decided, approved and recorded
mod veto; // vetoes: checks that can refuse what the decision allows
mod schema; // checks arguments against the schema of a third-party tool
pub mod audit; // the records of calls
pub mod grants; // what people have allowed, and the questions they are asked
pub mod person; // what a person changes, and the one path of such a change
pub mod preview; // whether a call asks for a preview
pub mod listing; // fetches lists of a server with the rights of a client
pub mod configure; // a server's settings: their published schema, and what clients configure
pub mod description; // what the layers know about an endpoint, in one value
pub mod declared; // what one of our servers declares about itself
mod endpoint; // the interface of everything that can act: it takes only admitted requests
mod refusal_codes; // the codes of errors that Overt answers with itself
mod reviewed_call; // the call whose changes an address shows
pub mod definition; // a tool's definition as comparable text
pub mod compare; // finds the words that differ between lines
pub mod content_digest; // digests of plans, arguments and files
pub mod seal; // sealed state: the client carries it but cannot change it

pub use authorize::{
    APPROVAL_FIELDS, APPROVAL_TITLES, Approval, Authorize, Control, PolicySnapshot, Rates, ReadRecords,
    Revision, Settings, SettingsCompiler,
};
pub use configure::{ConfigurationRights, Configured, published_schemas};
pub use description::ServerDescription;
pub use endpoint::{Endpoint, unknown_tool};
pub use gate::Gate;
pub use known_tool::KnownTool;
pub use known_tool::Records;
pub use observe::observed;
pub use overt_policy::record;
pub use overt_settings as setting;
pub use permit::{
    Admitted, Annotated, Conditions, Permitted, PreparedPlan, ResultAnnotation, ScopeCheck, Unprivileged,
};
pub use read_decision::ReadDecision;
pub use refusal_codes::known_errors;
pub use reviewed_call::{ReviewedCall, shows_all_of};
pub use stack::{build, open};
pub use tool_catalogue::ToolCatalogue;
pub use veto::{AllowAll, Refusal, Veto, VetoSubject};
