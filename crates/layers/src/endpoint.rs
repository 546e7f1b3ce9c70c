//! The interface of everything that can act. An endpoint takes only admitted requests.
use std::sync::Arc;

use overt_wire::{BoxFuture, ErrorObject, Message};

use crate::description::ServerDescription;
use crate::permit::Admitted;

/// One of our servers, or an upstream. It has `call`, and one value that describes it, so a wrapper
/// cannot forget to forward a part of the description. It can be served only behind
/// [`Authorize`](crate::Authorize), which [`build`](crate::build) and [`open`](crate::open) put in
/// front of it:
///
/// ```
/// # use overt_toolbox::{Server, Toolbox};
/// # use overt_transport::{limits::Limits, pair};
/// # #[tokio::main] async fn main() {
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _client = pair::connect(overt_layers::open(endpoint), Limits::default());
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # use overt_toolbox::{Server, Toolbox};
/// # use overt_transport::{limits::Limits, pair};
/// # #[tokio::main] async fn main() {
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _client = pair::connect(endpoint, Limits::default());
/// # }
/// ```
///
/// It cannot be put behind a layer that calls it without a permit either:
///
/// ```compile_fail,E0277
/// # use overt_toolbox::{Server, Toolbox};
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _handler = overt_layers::Gate::new(endpoint);
/// ```
pub trait Endpoint: Send + Sync + 'static {
    /// Handles one admitted request or notification. Dropping the future cancels it.
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>>;

    /// Returns what the layers need to know about the endpoint.
    fn description(&self) -> &ServerDescription;
}

impl<E: Endpoint + ?Sized> Endpoint for Arc<E> {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        (**self).call(admitted)
    }

    fn description(&self) -> &ServerDescription {
        (**self).description()
    }
}

/// Returns the error for a call of a tool that does not exist (G-07).
pub fn unknown_tool(name: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("unknown tool `{name}`; `tools/list` has the names"))
}
