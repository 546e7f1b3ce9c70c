//! What a server's definitions cost in the context of a model, in tokens and bytes. Pure: it is
//! given what a server says and prints nothing.
mod shape; // how hosts write a tool into a request
mod count; // tokens of texts
mod of_server; // the sum of it

pub(crate) use count::{Count, ENCODING, TokenCounter};
pub(crate) use of_server::{Cost, ToolCost};
pub(crate) use shape::Shape;
