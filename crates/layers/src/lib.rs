//! The layers between a client and an endpoint: the gate, the decision, the records. Start with
//! `stack.rs`, the order of everything.
//!
//! **Invariant:** a [`Permitted`] value can be made only in the permit module; only [`Authorize`]
//! turns an [`Endpoint`] into a handler. **Invariant:** one decision function serves listing and
//! calling.
mod stack; // the order of everything below
pub mod observe; // shows what passes to logs, traces and metrics
mod gate; // the handshake of the older era, and which methods an era has
mod authorize; // the one bridge from a client to an endpoint
mod permit; // the proof that a call was decided, approved and recorded
mod veto; // checks beside the decision that may refuse
mod schema; // arguments against the schema of a third-party tool
pub mod audit; // what is written down about every call
pub mod grants; // what people allowed, and what they are asked
pub mod preview; // whether a call asks for a preview
pub mod listing; // lists of a server, asked for in a client's name
pub mod configure; // settings as clients meet them
pub mod description; // what the layers know about an endpoint, in one value
pub mod declared; // what a server of ours declares about itself
mod endpoint; // the inner seam: what may act
pub mod definition; // the definition of a tool as text that can be compared
pub mod compare; // which words of lines differ
pub mod param_headers; // arguments that are repeated in HTTP headers
pub mod content_digest; // digests of plans, arguments and files
pub mod seal; // state that goes through the client and can't be changed there

pub use authorize::{
    APPROVAL_FIELDS, APPROVAL_TITLES, Approval, Authorize, Control, PolicySnapshot, Rates, ReadRecords,
    Settings, SettingsCompiler,
};
pub use configure::{Clients, Configured};
pub use description::ServerDescription;
pub use endpoint::{Endpoint, unknown_tool};
pub use gate::Gate;
pub use observe::observed;
pub use overt_policy::{record, setting};
pub use permit::{
    Admitted, Annotated, Conditions, Permitted, PreparedPlan, ResultAnnotation, ScopeCheck, Unprivileged,
};
pub use stack::{build, open};
pub use veto::{AllowAll, Refusal, Veto, VetoSubject};
