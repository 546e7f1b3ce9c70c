//! The grammar and the order of scopes, as tables and as properties.
