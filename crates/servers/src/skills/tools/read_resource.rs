//! `read_resource`: reads the content behind an address (F-24).
use std::sync::Arc;

use overt_toolbox::{Context, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::library::Library;
use super::declared::{CODES, content, reading_a_file};

const DESCRIPTION: &str =
    "Read a resource by its URI, such as `skill://NAME/SKILL.md` or `resource://catalog/skills_index`.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A URI that `list_resources` or a skill names.
    uri: String,
}

pub(super) fn tool(library: &Arc<Library>) -> Tool {
    let library = Arc::clone(library);
    Tool::content("read_resource", DESCRIPTION, move |input: Input, context: Context| {
        let library = Arc::clone(&library);
        async move { Ok(content(&input.uri, library.read(&input.uri, &context).await?)) }
    })
    .title("Read a resource")
    .fails_with(CODES)
    .scope_arguments(|arguments, _| arguments.clone())
    .declare(reading_a_file("Read {uri}"))
}
