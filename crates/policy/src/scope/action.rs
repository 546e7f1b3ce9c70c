//! What a scope allows to do.
use crate::word::words;

words! {
    /// What is done.
    pub enum Action {
        Read = "read",
        Write = "write",
        Execute = "execute",
    }
}
