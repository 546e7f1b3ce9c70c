//! The table of settings of `overt skills`: those of control and of the sandbox.
use overt_settings::Setting;

use super::super::control::{HEADING, Table, control_of_own_server};
use super::super::fs::sandboxing;

/// All settings of `overt skills`.
#[derive(Debug)]
pub(crate) enum OfSkills {}

impl Table for OfSkills {
    const COMMAND: &'static str = "skills";

    fn groups() -> Vec<(&'static str, Vec<Setting>)> {
        vec![("Sandbox options", sandboxing()), (HEADING, control_of_own_server())]
    }
}
