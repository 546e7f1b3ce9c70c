//! Every document about a server, by name: the one table from which they are made, printed, served and compared.
mod table; // what there is, and how each is made
mod served; // where each is found over HTTP
mod clear; // nothing leaves that must not
#[cfg(test)]
mod tests;

pub use crate::place::Place;
pub use served::served;
pub use table::{Document, Kind, all, render};
