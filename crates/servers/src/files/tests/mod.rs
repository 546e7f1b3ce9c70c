//! Tests and helpers that the parts of the file server share.
mod recovery; // every error leads to a call that succeeds
mod model; // random changes, compared with a model of the tree
mod trial; // a tree for tests

pub(super) use trial::{CANARY, Trial};
