//! Looks at the upstream's tools before one of them is called, where what nobody accepted must not be (CARD-01).
use std::sync::Arc;

use overt_wire::{ErrorObject, Message};

use crate::lane::Lane;
use crate::pins::{PinGuard, PinMode};

/// Refuses the call of a tool that nobody accepted. Was the list of this conversation not seen yet, it is asked for: the
/// server may be another one than the one whose list the client knows.
pub(crate) async fn check_pins(lane: &Arc<Lane>, call: &Message) -> Result<(), ErrorObject> {
    let strict = |pins: &&PinGuard| pins.mode() == PinMode::Strict;
    let Some(pins) = lane.upstream.options.pins.as_ref().filter(strict) else { return Ok(()) };
    if !lane.tools.is_listed() {
        // Rare, and large for a future that every call carries.
        Box::pin(lane.list_tools()).await?;
    }
    let name = call.params().get("name").string().unwrap_or_default();
    pins.verdict(&name).map_err(|refusal| ErrorObject::invalid_params(refusal.reason))
}
