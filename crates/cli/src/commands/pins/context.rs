//! What every `overt pins` command needs.
use overt_gateway::pins::PinStore;

use crate::context::CommandContext;
use crate::settings::Server;

pub(super) struct PinsContext<'a> {
    pub(super) command: &'a CommandContext,
    pub(super) server: Server,
    pub(super) store: PinStore,
}
