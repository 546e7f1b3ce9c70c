//! What every `overt pins` command works with.
use overt_gateway::pins::PinStore;

use crate::output::Printer;
use crate::settings::PinsSettings;

pub(super) struct PinsContext<'a> {
    pub(super) settings: &'a PinsSettings,
    pub(super) store: PinStore,
    pub(super) printer: Printer,
}
