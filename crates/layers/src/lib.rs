//! Decides what a client is told and what it may do, and holds the [`Toolbox`](toolbox::Toolbox) with which
//! an author declares a server once. Start with `stack.rs`, the order of everything.
//!
//! **Invariant:** a [`Permitted`] value can be made only in [`policy`]; only [`Authorize`] turns an
//! [`Endpoint`] into a handler.
//! **Invariant:** one decision function serves listing and calling.
//!
//! A whole server, with one tool:
//!
//! ```no_run
#![doc = include_str!("../examples/hello.rs")]
//! ```
mod stack; // the order of everything below
pub mod observe; // shows what passes to logs, traces and metrics
mod gate; // the handshake of the older era, and which methods an era has
pub mod disclose; // what is told about a server: metadata, help, documents
mod authorize; // the one bridge from a client to an endpoint
pub mod policy; // what may be done; makes permits
pub mod audit; // what is written down about every call
pub mod grants; // what people allowed, and what they are asked
mod preview; // whether a call asks for a preview
mod listing; // lists of a server, asked for in somebody's name
pub mod configure; // settings as clients meet them
mod endpoint; // the inner seam: what may act
pub mod compare; // which words of lines differ
pub mod seal; // state that goes through the client and can't be changed there
pub mod toolbox; // declare tools, resources and prompts once; served in both eras

pub use authorize::{Approval, Authorize, Control, InForce, Means, Rates, Settings};
pub use configure::{Clients, Configured};
pub use disclose::{Disclose, Disclosure, Offers};
pub use endpoint::Endpoint;
pub use gate::Gate;
pub use observe::observed;
pub use overt_spec::{record, setting};
pub use policy::{AllowAll, Permitted, Policy};
pub use stack::{build, open};
