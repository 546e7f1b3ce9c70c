//! The list of the tools.
use std::sync::Arc;

use overt_toolbox::Tool;

use super::super::FileServer;
use super::schemas::SCHEMAS;
use super::{
    copy_file, create_directory, delete_file, edit_file, find_files, get_file_info, list_changes,
    list_directory, list_roots, move_file, read_file, read_multiple_files, revert_change, search_files,
    write_file,
};

/// The names of all tools, for code that names a tool while no server runs.
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

/// Returns all tools, in display order.
pub(crate) fn all(server: &Arc<FileServer>) -> Vec<Tool> {
    declared(server).into_iter().map(with_known_schemas).collect()
}

/// Sets the schemas from their known text, because deriving them from the types at each start would
/// take time.
fn with_known_schemas(tool: Tool) -> Tool {
    match SCHEMAS.iter().find(|(name, _, _)| *name == tool.name()) {
        Some((_, input, output)) => tool.known_schemas(input, Some(output)),
        None => tool,
    }
}

fn declared(server: &Arc<FileServer>) -> Vec<Tool> {
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
    // Without a journal nothing can be undone, and no description claims otherwise.
    if let Some(journal) = &server.journal {
        tools.extend([list_changes::tool(server, journal), revert_change::tool(server, journal)]);
    }
    tools
}

#[cfg(test)]
mod tests {
    use overt_settings::{DeclaredSettings, SettingValues};
    use overt_toolbox::{Server, Toolbox};

    use super::super::super::{Options, settings};
    use super::*;

    /// `schemas.rs` must equal what the types give. If it differs, the test writes `schemas.rs.new`
    /// beside it.
    #[test]
    fn the_known_schemas_are_those_of_the_types() {
        let place = tempfile::tempdir().unwrap();
        let [root, journal] = ["root", "journal"].map(|name| place.path().join(name));
        std::fs::create_dir(&root).unwrap();
        let values = DeclaredSettings::new(settings()).map(SettingValues::from).unwrap();
        let options = Options { journal: Some(journal), ..Options::new(vec![root], values) };
        let tools = declared(&FileServer::open(&options).unwrap());
        let rows: String = tools
            .iter()
            .map(|tool| {
                let (input, output) = tool.schemas();
                let output = output.expect("every tool has a result");
                format!(
                    "    (\n        \"{}\",\n        r#\"{input}\"#,\n        r#\"{output}\"#,\n    ),\n",
                    tool.name()
                )
            })
            .collect();
        let known = include_str!("schemas.rs");
        let (head, _) = known.split_once(" = &[").expect("it has a list");
        let made = format!("{head} = &[\n{rows}];\n");
        if known != made {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/files/tools/schemas.rs.new");
            std::fs::write(path, made).unwrap();
            panic!("the types have changed: look at {path} and move it to schemas.rs");
        }
        // The builder skips some checks for known schemas, so the schemas from the types are
        // checked here.
        let toolbox =
            tools.into_iter().fold(Toolbox::new(Server::new("files", "1", "Try it.")), Toolbox::tool);
        toolbox.build().unwrap();
    }
}
