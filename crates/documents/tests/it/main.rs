//! The documents and the declaration behind them, by example and by property.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod acme; // the server of the proposal's own examples
mod arbitrary; // any valid declaration, with a server that fits it
mod card; // Tool Cards: good, broken, made from a declaration
mod card_diff; // two cards compared
mod config; // overt.toml: settings, the operator's policy, rules
mod contradictions; // what must not be said about a server
mod dashdash; // the objects: round trips, broken ones, schemas
mod documents; // every document of any declaration, made and read back
mod self_described; // a server in its own words
mod manifest; // overt.toml: good, bad, there and back
mod manifest_docs; // the fields of a manifest, as documented
mod examples; // the manifests of the repository
mod marks; // from records to definitions and back
mod planted; // a secret in any field is found
