//! Builds the stack of all layers, with disclosure among them.
use std::sync::Arc;

use overt_layers::{Authorize, Control, Endpoint, Gate};
use overt_wire::Handler;

use crate::{DeclarationError, Disclose, Disclosure};

/// Puts every layer around one of our own servers, after checking its declaration.
pub fn build(
    endpoint: impl Endpoint,
    control: impl Into<Control>,
) -> Result<Arc<dyn Handler>, DeclarationError> {
    let declared = endpoint.description().declared.clone();
    let disclosure = declared.map_or(Ok(None), |declared| Disclosure::of(&declared))?;
    Ok(build_with(endpoint, control, disclosure))
}

/// Puts every layer around an endpoint, innermost first. [`observed`](overt_layers::observed) may
/// wrap them all, because it must also see refused requests.
pub fn build_with(
    endpoint: impl Endpoint,
    control: impl Into<Control>,
    disclosure: Option<Disclosure>,
) -> Arc<dyn Handler> {
    let handler = Authorize::new(control, endpoint); // decides, asks, records; mints the permit
    wrap(handler, disclosure)
}

/// Not generic, so that the layers are compiled with the options of this crate.
fn wrap(handler: Authorize, disclosure: Option<Disclosure>) -> Arc<dyn Handler> {
    match disclosure {
        // adds what is declared about the parts that the decision left visible
        Some(disclosure) => Arc::new(Gate::new(Disclose::new(handler, disclosure))),
        None => Arc::new(Gate::new(handler)), // lets nothing through before the handshake
    }
}

/// Like [`build`], with everything allowed. A client can still narrow what its calls may do.
pub fn open(endpoint: impl Endpoint) -> Result<Arc<dyn Handler>, DeclarationError> {
    build(endpoint, Control::open())
}
