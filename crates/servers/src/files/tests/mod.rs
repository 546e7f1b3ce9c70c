//! What the tests of the file server's parts share.
mod recovery; // every error leads to a call that succeeds
mod model; // random work beside a model of the tree
mod trial; // a tree to try things on

pub(super) use trial::{CANARY, Trial};
