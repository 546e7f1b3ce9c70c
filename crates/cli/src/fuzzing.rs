//! What the fuzz targets call: readers that meet bytes of others. Not an interface for programs.
pub use crate::client_files::{FileSyntax, check_round_trip};
pub use crate::commands::check_keys;
