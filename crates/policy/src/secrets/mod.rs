//! What must be in no document (D-30): credentials, and addresses of private networks. Found by
//! name and by form; a finding says where and what kind, never the value. What must be shown or
//! kept all the same goes through `redact` or `hide`.
mod kind; // what kinds there are
mod names; // names that mean a credential
mod forms; // how the keys of services look
mod secret_spans; // places in a text that may hold a credential
mod real; // real ones told from placeholders
mod address; // internal addresses and hosts
mod scan; // texts and documents searched
mod hide; // texts without them
mod withhold; // other people's documents without them
mod redact; // messages without them
#[cfg(test)]
mod tests;

pub use address::is_public_host;
pub use hide::{HIDDEN, bare_address, hide};
pub use kind::Kind;
pub use names::is_secret_name;
pub use redact::{Strings, redact};
pub use scan::{scan, scan_credentials, scan_text};
pub use secret_spans::{SecretSpan, secret_spans};
pub use withhold::withhold;
