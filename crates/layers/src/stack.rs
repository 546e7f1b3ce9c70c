//! The order of the layers, defined in one place.
use std::sync::Arc;

use overt_wire::Handler;

use crate::{Authorize, Control, Endpoint, Gate};

/// Puts all layers around an endpoint, innermost first. [`observed`](crate::observed) may wrap the
/// result: observers must also see refused requests.
pub fn build(endpoint: impl Endpoint, control: impl Into<Control>) -> Arc<dyn Handler> {
    let handler = Authorize::new(control, endpoint); // decides, asks, records; makes the permit
    Arc::new(Gate::new(handler)) // lets nothing through before the handshake
}

/// Puts all layers around an endpoint and allows everything. A client can still narrow what its
/// calls may do.
pub fn open(endpoint: impl Endpoint) -> Arc<dyn Handler> {
    build(endpoint, Control::open())
}
