//! The layers between a client and an endpoint: the gate, the decision, the records. Start with `stack.rs`, the order of
//! everything.
//!
//! **Invariant:** a [`Permitted`] value can be made only in [`policy`]; only [`Authorize`] turns an
//! [`Endpoint`] into a handler.
//! **Invariant:** one decision function serves listing and calling.
mod stack; // the order of everything below
pub mod observe; // shows what passes to logs, traces and metrics
mod gate; // the handshake of the older era, and which methods an era has
mod authorize; // the one bridge from a client to an endpoint
pub mod policy; // what may be done; makes permits
pub mod audit; // what is written down about every call
pub mod grants; // what people allowed, and what they are asked
pub mod preview; // whether a call asks for a preview
pub mod listing; // lists of a server, asked for in somebody's name
pub mod configure; // settings as clients meet them
pub mod declared; // what a server of ours declares about itself
mod endpoint; // the inner seam: what may act
pub mod compare; // which words of lines differ
pub mod param_headers; // arguments that are repeated in HTTP headers
pub mod seal; // state that goes through the client and can't be changed there

pub use authorize::{Approval, Authorize, Control, InForce, Means, Rates, Settings};
pub use configure::{Clients, Configured};
pub use endpoint::{Endpoint, unknown_tool};
pub use gate::Gate;
pub use observe::observed;
pub use overt_policy::{record, setting};
pub use policy::{AllowAll, Permitted, Policy};
pub use stack::{build, open};
