//! Turns bytes into MCP messages and messages into bytes, without loss, in both protocol eras.
//!
//! **Invariant:** no I/O, no clock, no async runtime. A test passes bytes in and reads bytes out.
//! **Invariant:** parse then write is the identity.
//! **Invariant:** parsing never panics, because an attacker controls the input.
//!
//! Start with [`message::Message`], the one data type. [`edit`] is the only way to change a
//! message.
pub mod json; // checked JSON text, borrowed views of it, and a writer
pub mod frame; // splitting bytes into lines and events
pub mod message; // one JSON-RPC message: its text and the positions of its parts
mod refused; // the parts of a refused text that are still readable
pub mod id; // request ids, which keep their exact token
pub mod error; // error objects and codes
pub mod method; // method names
pub mod edit; // setting or removing one member while all other bytes stay
pub mod era; // protocol versions, eras, and the caller
pub mod view; // read-only views of tools, resources, prompts and content
pub mod skill; // skills as servers list them (SEP-2640)
pub mod trace_parent; // the trace that a request belongs to (W3C Trace Context)
pub mod hex; // bytes as hexadecimal digits
pub mod rfc3339; // dates and times as text
pub mod document; // documents that are read outside the MCP endpoint
pub mod deadline; // pausing the deadline of a request while a person decides
pub mod principal; // who makes a request
pub mod handler; // the trait that a transport serves, its requests and sessions
pub mod param_headers; // `x-mcp-header`: arguments that headers repeat
pub mod text; // untrusted text, made safe to show

pub use deadline::{DeadlineControl, DeadlinePause, DeadlineState, DeadlineWatch};
pub use document::{Document, DocumentRequest, NoDocument};
pub use error::ErrorObject;
pub use handler::{
    BoxFuture, ClientSink, Closed, Exchange, Handler, NoClient, ParamHeaders, Phase, Session, Watch,
};
pub use id::Id;
pub use message::{Kind, Message, MessageError};
pub use method::Method;
pub use principal::Principal;
pub use trace_parent::TraceParent;
