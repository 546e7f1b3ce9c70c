//! The list of the tools.
use std::sync::Arc;

use overt_layers::toolbox::Tool;

use super::super::FileServer;
use super::{
    find_files, get_file_info, list_directory, list_roots, read_file, read_multiple_files, search_files,
};

/// All of them, in the order in which they are listed.
pub(crate) fn all(server: &Arc<FileServer>) -> Vec<Tool> {
    vec![
        list_roots::tool(server),
        list_directory::tool(server),
        find_files::tool(server),
        search_files::tool(server),
        read_file::tool(server),
        read_multiple_files::tool(server),
        get_file_info::tool(server),
    ]
}
