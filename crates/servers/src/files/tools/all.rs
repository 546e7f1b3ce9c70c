//! The list of the tools.
use std::sync::Arc;

use overt_toolbox::Tool;

use super::super::FileServer;
use super::{
    copy_file, create_directory, delete_file, edit_file, find_files, get_file_info, list_changes,
    list_directory, list_roots, move_file, read_file, read_multiple_files, revert_change, search_files,
    write_file,
};

/// The names of all tools, for those who name a tool while no server runs.
pub const TOOL_NAMES: [&str; 15] = [
    "copy_file",
    "create_directory",
    "delete_file",
    "edit_file",
    "find_files",
    "get_file_info",
    "list_changes",
    "list_directory",
    "list_roots",
    "move_file",
    "read_file",
    "read_multiple_files",
    "revert_change",
    "search_files",
    "write_file",
];

/// All of them, in the order in which they are listed.
pub(crate) fn all(server: &Arc<FileServer>) -> Vec<Tool> {
    let mut tools = vec![
        list_roots::tool(server),
        list_directory::tool(server),
        find_files::tool(server),
        search_files::tool(server),
        read_file::tool(server),
        read_multiple_files::tool(server),
        get_file_info::tool(server),
        create_directory::tool(server),
        write_file::tool(server),
        edit_file::tool(server),
        move_file::tool(server),
        copy_file::tool(server),
        delete_file::tool(server),
    ];
    // Without a journal nothing can be undone, and no description says otherwise.
    if let Some(journal) = &server.journal {
        tools.extend([list_changes::tool(server, journal), revert_change::tool(server, journal)]);
    }
    tools
}
