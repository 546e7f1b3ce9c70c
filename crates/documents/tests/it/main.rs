//! Tests the documents and the declaration behind them, by example and by property.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod acme; // the server of the proposal's own examples
mod arbitrary; // any valid declaration, with a server that fits it
mod card; // Tool Cards: valid, invalid, made from a declaration
mod card_diff; // differences between two cards
mod config; // overt.toml: settings, the operator's policy, rules
mod contradictions; // invalid declarations about a server
mod dashdash; // the dashdash objects: round trips, invalid ones, schemas
mod documents; // all documents of any declaration, made and read back
mod self_described; // a server that describes itself
mod manifest; // overt.toml: valid, invalid, round trips
mod manifest_docs; // the documented fields of a manifest
mod examples; // the manifests in the repository
mod marks; // from records to definitions and back
mod planted; // a secret in any field is found
