//! The tools, each in a file of its own: what it takes, what it gives, what is declared about it.
use std::sync::Arc;

use overt_layers::toolbox::Tool;

use super::FileServer;

/// All of them, in the order in which they are listed.
pub(super) fn all(_server: &Arc<FileServer>) -> Vec<Tool> {
    Vec::new()
}
