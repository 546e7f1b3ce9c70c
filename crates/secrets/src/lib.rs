//! Finds what no document may contain (D-30): credentials, and addresses of private networks. They
//! are recognised by name and by form. A finding names the place and the kind, never the value.
//! `redact` and `hide` remove secrets from texts that must be shown or kept.
mod kind; // the kinds of secrets
mod names; // names that mean a credential
mod forms; // the forms of the keys of services
mod secret_spans; // the parts of a text that may be a credential
mod real; // real credentials, as opposed to placeholders
mod address; // internal addresses and hosts
mod scan; // the search in texts and documents
mod hide; // texts without secrets
mod withhold; // third parties' documents without secrets
mod redact; // messages without secrets
#[cfg(test)]
mod tests;

pub use address::is_public_host;
pub use hide::{HIDDEN, bare_address, hide};
pub use kind::Kind;
pub use names::is_secret_name;
pub use redact::{Strings, redact};
pub use scan::{DocumentSecret, scan, scan_credentials, scan_text};
pub use secret_spans::{SecretSpan, secret_spans};
pub use withhold::withhold;
