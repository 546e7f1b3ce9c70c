//! The order of the layers, written once.
use std::sync::Arc;

use overt_wire::Handler;

use crate::{AllowAll, Authorize, Disclose, Endpoint, Gate, Policy};

/// Puts every layer around an endpoint, innermost first. [`observed`](crate::observed) may come around them all: it
/// must also see what was refused.
pub fn build(endpoint: impl Endpoint, policy: impl Policy) -> Arc<dyn Handler> {
    let disclosure = endpoint.disclosure();
    let handler = Authorize::new(policy, endpoint); // mints the permit; filters lists by the same decision
    match disclosure {
        // tells what is declared, of what the decision left
        Some(disclosure) => Arc::new(Gate::new(Disclose::new(handler, disclosure))),
        None => Arc::new(Gate::new(handler)), // lets nothing through before the handshake
    }
}

/// The same with a policy that allows everything.
pub fn open(endpoint: impl Endpoint) -> Arc<dyn Handler> {
    build(endpoint, AllowAll)
}
