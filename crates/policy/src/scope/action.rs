//! The actions that a scope allows.
use crate::word::string_enum;

string_enum! {
    /// What is done.
    pub enum Action {
        Read = "read",
        Write = "write",
        Execute = "execute",
    }
}
