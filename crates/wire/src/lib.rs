//! Turns bytes into MCP messages and back without losing one, in both protocol eras.
//!
//! **Invariant:** no IO, no clock, no async runtime. A test feeds it bytes and reads bytes.
//! **Invariant:** parse then write is the identity.
//! **Invariant:** parsing never panics; the input is an attacker's.
//!
//! Start with [`message::Message`], the one data type; [`edit`] is the only way to change one.
pub mod json; // checked JSON text, borrowed looks at it, and a writer
pub mod frame; // bytes to lines and events
pub mod message; // one JSON-RPC message: text and where its parts are
mod refused; // what a refused text still shows of itself
pub mod id; // ids, which keep their exact token
pub mod error; // error objects and codes
pub mod method; // names of methods
pub mod edit; // set or remove one member, all other bytes untouched
pub mod era; // versions, eras, and the caller
pub mod view; // read-only looks at tools, resources, prompts and content
pub mod skill; // skills as servers list them (SEP-2640)
pub mod trace_parent; // which trace a request belongs to (W3C Trace Context)
pub mod rfc3339; // dates and times in words
pub mod document; // what is read beside the MCP endpoint
pub mod deadline; // pauses the deadline of a request while a person decides
pub mod handler; // the outer seam: what a transport serves
pub mod text; // other people's text, made safe to show

pub use deadline::{DeadlineControl, DeadlinePause, DeadlineState, DeadlineWatch};
pub use document::{Document, DocumentRequest, NoDocument};
pub use error::ErrorObject;
pub use handler::{
    BoxFuture, ClientSink, Closed, Exchange, Handler, NoClient, ParamHeaders, Phase, Session, Watch,
};
pub use id::Id;
pub use message::{Kind, Message, Reject};
pub use method::Method;
pub use trace_parent::TraceParent;
