//! The order of the layers, written once.
use std::sync::Arc;

use overt_wire::Handler;

use crate::{Authorize, Control, Endpoint, Gate};

/// Puts every layer around an endpoint, innermost first. [`observed`](crate::observed) may come
/// around them all: it must also see what was refused.
pub fn build(endpoint: impl Endpoint, control: impl Into<Control>) -> Arc<dyn Handler> {
    let handler = Authorize::new(control, endpoint); // decides, asks, writes down; mints the permit
    Arc::new(Gate::new(handler)) // lets nothing through before the handshake
}

/// Every layer around an endpoint, with everything allowed. A client can still narrow what its
/// calls may do.
pub fn open(endpoint: impl Endpoint) -> Arc<dyn Handler> {
    build(endpoint, Control::open())
}
