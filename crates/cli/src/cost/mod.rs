//! The cost of a server's definitions in a model's context, in tokens and bytes. This module is
//! pure: it gets the server's texts as arguments and prints nothing.
mod shape; // how hosts put a tool into a request
mod count; // counts tokens
mod of_server; // the cost of a whole server

pub(crate) use count::{Count, ENCODING, TokenCounter};
pub(crate) use of_server::{Cost, ToolCost};
pub(crate) use shape::Shape;
