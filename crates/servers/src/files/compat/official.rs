//! The tools of the official filesystem server, in its order. Our `revert_change` comes last, so
//! that changes can be undone.
use std::sync::Arc;

use overt_layers::record::ToolRecord;
use overt_toolbox::{Content, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::FileServer;
use super::super::access::View;
use super::super::tools::scope_arguments;
use super::names::Compat;
use super::own_tools::OwnTools;
use super::reading::{ManyPaths, OnePath, ReadText};
use super::reworded_error::reworded_error;
use super::{changing, listing, reading};

impl Compat {
    /// Builds the other server's tools from ours.
    pub(in super::super) fn tools(self, server: &Arc<FileServer>, ours: Vec<Tool>) -> Vec<Tool> {
        match self {
            Self::Official => official(server, ours),
        }
    }

    /// Rewords one of our errors for the other server's tools.
    pub(in super::super) fn reword(self, error: ToolError) -> ToolError {
        match self {
            Self::Official => reworded_error(error),
        }
    }
}

const READ_TEXT: &str = "Use to read a file as text. `head` returns only the first lines, `tail` only the last ones. A very large file is cut, \
    and the answer says where.";

fn official(server: &Arc<FileServer>, tools: Vec<Tool>) -> Vec<Tool> {
    let ours = OwnTools::of(server, &tools);
    let record = |name: &str| tools.iter().find(|tool| tool.name() == name).map(|tool| tool.record().clone());
    let adapter = Adapters { server, ours: &ours };
    let reads = record("read_file").unwrap_or_default();
    let lists = record("list_directory").unwrap_or_default();
    let mut all = vec![
        adapter.make::<ReadText, _, _, _>("read_file", READ_TEXT, &reads, &["path"], reading::text_file),
        adapter.make::<ReadText, _, _, _>("read_text_file", READ_TEXT, &reads, &["path"], reading::text_file),
        adapter.make::<OnePath, _, _, _>(
            "read_media_file",
            "Use to read an image, a sound or any other file in base64, with its MIME type.",
            &reads,
            &["path"],
            reading::media_file,
        ),
        adapter.make::<ManyPaths, _, _, _>(
            "read_multiple_files",
            "Use to read several files at once as text. A file that can't be read has its error in its place; the others are still read.",
            &record("read_multiple_files").unwrap_or_default(),
            &["paths"],
            reading::multiple_files,
        ),
    ];
    let info = record("get_file_info").unwrap_or_default();
    let root_list = record("list_roots").unwrap_or_default();
    let mut reverting = Vec::new();
    let mut looking = vec![
        adapter.make::<OnePath, _, _, _>(
            "list_directory",
            "Use to see what is in a directory: a line for each entry, with `[DIR]` or `[FILE]` before the name.",
            &lists,
            &["path"],
            listing::directory,
        ),
        adapter.make::<listing::ListWithSizes, _, _, _>(
            "list_directory_with_sizes",
            "Use to see what is in a directory, with the size of each file and of all together.",
            &lists,
            &["path"],
            listing::directory_with_sizes,
        ),
        adapter.make::<listing::TreeOf, _, _, _>(
            "directory_tree",
            "Use to see everything in a directory as a tree in JSON: `name`, `type`, and `children` of directories.",
            &lists,
            &["path"],
            listing::tree,
        ),
    ];
    let roots = Arc::clone(&server.roots);
    let search = move |ours: OwnTools, input: listing::Search, context: Context| {
        let view = View::of(&context, &roots);
        async move {
            let view = view?;
            let whole =
                |path: &str| view.absolute(path).map_or_else(|_| path.to_owned(), |path| path.to_string());
            listing::search(ours, input, context, whole).await
        }
    };
    let finding = vec![
        adapter.make::<listing::Search, _, _, _>(
            "search_files",
            "Use to find files and directories by a glob over their path in the directory: `*.md` directly in it, `**/*.md` at any depth. \
             Returns absolute paths, one on each line.",
            &lists,
            &["path"],
            search,
        ),
        adapter.make::<OnePath, _, _, _>(
            "get_file_info",
            "Use to see what is at a path, how large it is, when it was changed, and its permissions.",
            &info,
            &["path"],
            listing::info,
        ),
        adapter.make::<listing::Nothing, _, _, _>(
            "list_allowed_directories",
            "Use to see the directories that this server may use.",
            &root_list,
            &[],
            |ours, _, context| listing::allowed(ours, context),
        ),
    ];
    let mut moving = Vec::new();
    for tool in tools {
        match tool.name() {
            "write_file" => all.push(changing::write_file(tool)),
            "edit_file" => all.push(changing::edit_file(tool)),
            "create_directory" => all.push(changing::create_directory(tool, ours.clone())),
            "move_file" => moving.push(changing::move_file(tool)),
            "revert_change" => reverting.push(tool.reword_errors(reworded_error)),
            _ => {}
        }
    }
    looking.extend(moving);
    all.into_iter().chain(looking).chain(finding).chain(reverting).collect()
}

/// What the adapters of reading tools are built with.
struct Adapters<'a> {
    server: &'a Arc<FileServer>,
    ours: &'a OwnTools,
}

impl Adapters<'_> {
    /// Builds a tool that calls ours. What our tool declares applies to it too.
    fn make<I, O, F, Fut>(
        &self,
        name: &str,
        description: &str,
        record: &ToolRecord,
        paths: &'static [&'static str],
        run: F,
    ) -> Tool
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(OwnTools, I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(O, Vec<Content>), ToolError>> + Send + 'static,
    {
        let ours = self.ours.clone();
        Tool::value_and_content(name, description, move |input: I, context| run(ours.clone(), input, context))
            .scope_arguments(scope_arguments(self.server, paths))
            .declare(ToolRecord {
                examples: Vec::new(),
                intent_template: Some(intent(paths)),
                cli_equivalent: None,
                ..record.clone()
            })
    }
}

/// Returns the sentence about a call that a person reads.
fn intent(paths: &[&str]) -> String {
    match paths {
        ["path"] => "Look at {path}".to_owned(),
        ["paths"] => "Read[ {paths}]".to_owned(),
        _ => "Show the directories that are served".to_owned(),
    }
}
