//! What every `overt pins` command needs.
use overt_gateway::pins::PinStore;

use crate::args::Format;
use crate::output::Printer;
use crate::settings::Server;

pub(super) struct PinsContext {
    pub(super) server: Server,
    pub(super) store: PinStore,
    pub(super) format: Format,
    pub(super) printer: Printer,
}
