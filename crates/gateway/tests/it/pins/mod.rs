//! Which tool definitions a person has accepted (CARD-01 to CARD-03).
mod digest; // digests that don't depend on formatting
mod earlier;
mod store; // a file per server
mod guard; // lists are checked, calls are refused
mod deciding; // decisions of a person, with which tests write records

use deciding::{deciding, forgetting};
