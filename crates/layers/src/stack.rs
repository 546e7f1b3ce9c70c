//! The order of the layers, written once.
use std::sync::Arc;

use overt_wire::Handler;

use crate::{Authorize, Control, Disclose, Endpoint, Gate};

/// Puts every layer around an endpoint, innermost first. [`observed`](crate::observed) may come around them all: it
/// must also see what was refused.
pub fn build(endpoint: impl Endpoint, control: impl Into<Control>) -> Arc<dyn Handler> {
    let disclosure = endpoint.disclosure();
    let handler = Authorize::new(control, endpoint); // decides, asks, writes down; mints the permit
    match disclosure {
        // tells what is declared, of what the decision left
        Some(disclosure) => Arc::new(Gate::new(Disclose::new(handler, disclosure))),
        None => Arc::new(Gate::new(handler)), // lets nothing through before the handshake
    }
}

/// The same with everything allowed. A client can still narrow what its calls may do.
pub fn open(endpoint: impl Endpoint) -> Arc<dyn Handler> {
    build(endpoint, Control::open())
}
