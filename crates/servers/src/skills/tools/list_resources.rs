//! `list_resources`: every listed address, and the URI templates of the others (F-24).
use std::sync::Arc;

use overt_toolbox::{Content, Context, SkillListing as _, Tool, ToolError};
use overt_wire::json::{Array, Object};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::library::Library;
use super::super::read::may_read;
use super::super::snapshot::Target;
use super::super::uri;
use super::declared::reading;

const DESCRIPTION: &str = "List what `read_resource` can read: an array of objects with `uri` or `uri_template`, `name`, \
    `description` and `mime_type`.";
/// Most entries in one answer.
const MOST_RESOURCES: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Number of entries to skip, to get those after the first 1,000.
    #[serde(default)]
    offset: usize,
}

/// The entries that every server lists: the member for the address, the address, the name, the
/// description, the media type.
const FIXED: [(&str, &str, &str, &str, &str); 5] = [
    ("uri", uri::INDEX, "skills_index", "Every skill in the catalogue", "application/json"),
    ("uri_template", "skill://{+path}", "skill-file", "A file of a skill", "application/octet-stream"),
    (
        "uri_template",
        "resource://skills/{skill_id}/document",
        "skill-document",
        "The SKILL.md of a skill",
        "text/markdown",
    ),
    (
        "uri_template",
        "resource://skills/{skill_id}/references/{ref_id}",
        "skill-reference",
        "A reference of a skill",
        "text/markdown",
    ),
    (
        "uri_template",
        "resource://catalog/skills/{skill_id}",
        "skill-record",
        "A skill in the catalogue",
        "application/json",
    ),
];

pub(super) fn tool(library: &Arc<Library>) -> Tool {
    let library = Arc::clone(library);
    Tool::content("list_resources", DESCRIPTION, move |input: Input, context: Context| {
        let text = list(&library, &input, &context);
        async move { Ok::<_, ToolError>(vec![Content::text(&text)]) }
    })
    .title("List resources")
    .scope_arguments(|arguments, _| arguments.clone())
    .declare(reading("List the resources of the skills"))
}

fn list(library: &Library, input: &Input, context: &Context) -> String {
    let snapshot = library.current();
    let fixed = FIXED.iter().map(|(kind, address, name, description, mime_type)| {
        Object::new()
            .string(kind, address)
            .string("name", name)
            .string("description", description)
            .string("mime_type", mime_type)
            .finish()
    });
    let listed = snapshot.resources().iter().filter_map(|resource| {
        let json = resource.as_json();
        let text = |name: &str| json.get(name).string();
        let uri = text("uri")?;
        // Addresses of seed 001 denote files; the permission of the file decides.
        let is_visible = match snapshot.resolve(&uri)? {
            Target::File(_, file) | Target::Reference(_, file, _) => may_read(context, &file.uri),
            _ => true,
        };
        is_visible.then(|| {
            Object::new()
                .string("uri", &uri)
                .maybe("name", text("name"))
                .maybe("description", text("description"))
                .maybe("mime_type", text("mimeType"))
                .finish()
        })
    });
    let all = fixed.chain(listed).skip(input.offset).take(MOST_RESOURCES);
    all.fold(Array::new(), |array, entry| array.json(entry.as_json())).finish().into_string()
}
