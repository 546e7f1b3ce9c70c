//! `read_skill`: reads the instructions of a skill, or another of its files.
use std::sync::Arc;

use overt_toolbox::{Context, Tool};
use overt_wire::skill::MAIN_FILE;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::library::Library;
use super::super::read::not_found;
use super::super::tree::join;
use super::super::uri;
use super::declared::{CODES, content, reading_a_file};

const DESCRIPTION: &str = "Read the instructions of a skill (its SKILL.md), or another file that they name.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Name of the skill, or URI of its SKILL.md, from `list_skills`.
    skill: String,
    /// A file of the skill, such as `references/forms.md`. Default: SKILL.md.
    #[serde(default)]
    path: Option<String>,
}

pub(super) fn tool(library: &Arc<Library>) -> Tool {
    let library = Arc::clone(library);
    Tool::content("read_skill", DESCRIPTION, move |input: Input, context: Context| {
        let library = Arc::clone(&library);
        async move {
            let uri = address(&library, &input).ok_or_else(|| not_found(&input.skill))?;
            Ok(content(&uri, library.read(&uri, &context).await?))
        }
    })
    .title("Read a skill")
    .fails_with(CODES)
    .scope_arguments(|arguments, _| arguments.clone())
    .declare(reading_a_file("Read {path} of the skill {skill}"))
}

fn address(library: &Library, input: &Input) -> Option<String> {
    let snapshot = library.current();
    let named =
        input.skill.strip_suffix(MAIN_FILE).map_or(input.skill.as_str(), |rest| rest.trim_end_matches('/'));
    let path = match uri::path_of(named) {
        Some(path) => snapshot.by_path(&path)?.path.clone(),
        None => snapshot.by_id(named).or_else(|| snapshot.by_path(named))?.path.clone(),
    };
    let file = input.path.as_deref().unwrap_or(MAIN_FILE);
    uri::of_path(&join(&path, file.trim_start_matches("./")))
}
