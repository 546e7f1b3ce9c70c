//! The list of the tools.
use std::sync::Arc;

use overt_layers::toolbox::Tool;

use super::super::FileServer;

/// All of them, in the order in which they are listed.
pub(crate) fn all(_server: &Arc<FileServer>) -> Vec<Tool> {
    Vec::new()
}
