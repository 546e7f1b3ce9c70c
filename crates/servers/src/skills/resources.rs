//! The resource templates for all addresses: the files of skills, and the addresses of seed 001.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_policy::ResourceRecord;
use overt_toolbox::{Context, Resource, ResourceContents, ResourceTemplate, ToolError, Watch};

use super::library::Library;
use super::read::{may_read, not_found};
use super::snapshot::Target;
use super::uri;

/// Maximum number of suggestions for one variable.
const MOST_SUGGESTED: usize = 200;

pub(super) fn index(library: &Arc<Library>) -> Resource {
    let library = Arc::clone(library);
    Resource::new(uri::INDEX, "skills_index", move |context| {
        read(Arc::clone(&library), uri::INDEX.to_owned(), context)
    })
    .title("Catalogue of skills")
    .description("Every skill with its id, description, tags, capabilities and references.")
    .mime_type("application/json")
    .declare(changing())
}

pub(super) fn templates(library: &Arc<Library>) -> Vec<ResourceTemplate> {
    let file = template(library, "skill://{+path}", "skill-file", |variables| {
        // The value arrives decoded; encoding it again gives the canonical address of the path.
        uri::of_path(text(variables, "path")).unwrap_or_default()
    });
    let document =
        template(library, "resource://skills/{skill_id}/document", "skill-document", |variables| {
            uri::of_document(text(variables, "skill_id"))
        });
    let reference = template(
        library,
        "resource://skills/{skill_id}/references/{ref_id}",
        "skill-reference",
        |variables| uri::of_reference(text(variables, "skill_id"), text(variables, "ref_id")),
    );
    let record = template(library, "resource://catalog/skills/{skill_id}", "skill-record", |variables| {
        format!("{}{}", uri::RECORDS, text(variables, "skill_id"))
    });
    vec![
        file.title("Files of skills")
            .description("A file of a skill, such as `skill://pdf-tools/SKILL.md`; `_manifest` in place of a file lists all of them."),
        document.title("Skill").description("The SKILL.md of a skill, by its id.").mime_type("text/markdown"),
        reference.title("Reference of a skill").description("A reference of a skill, by its id."),
        record
            .title("Skill in the catalogue")
            .description("What the catalogue says of one skill.")
            .mime_type("application/json"),
    ]
}

fn template(
    library: &Arc<Library>,
    pattern: &str,
    name: &str,
    address: impl Fn(&BTreeMap<String, String>) -> String + Send + Sync + 'static,
) -> ResourceTemplate {
    let [reader, watcher, names] = [library, library, library].map(Arc::clone);
    let template = ResourceTemplate::new(pattern, name, move |variables, context| {
        read(Arc::clone(&reader), address(&variables), context)
    })
    .declare(changing())
    .watch(move |uri, _, context| watch(Arc::clone(&watcher), uri, context));
    match pattern.contains("{skill_id}") {
        true => template.complete("skill_id", move |typed| suggest(&names, typed)),
        false => template,
    }
}

fn text<'a>(variables: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    variables.get(name).map_or("", String::as_str)
}

async fn read(library: Arc<Library>, uri: String, context: Context) -> Result<ResourceContents, ToolError> {
    Ok(library.read(&uri, &context).await?.into_contents())
}

/// Allows a subscription to anything that the client can read. Changes are announced for as long as
/// the server runs.
async fn watch(library: Arc<Library>, uri: String, context: Context) -> Result<Watch, ToolError> {
    let snapshot = library.current();
    match snapshot.resolve(&uri) {
        Some(Target::File(_, file) | Target::Reference(_, file, _)) if may_read(&context, &file.uri) => {
            Ok(Watch::new(()))
        }
        Some(Target::Manifest(skill) | Target::Record(skill)) if may_read(&context, &skill.uri) => {
            Ok(Watch::new(()))
        }
        _ => Err(not_found(&uri)),
    }
}

/// Returns the ids of skills that begin with the typed text.
pub(super) fn suggest(library: &Library, typed: &str) -> Vec<String> {
    let snapshot = library.current();
    let ids = snapshot.skills.iter().map(|skill| skill.record.id.clone());
    ids.filter(|id| id.starts_with(typed)).take(MOST_SUGGESTED).collect()
}

fn changing() -> ResourceRecord {
    ResourceRecord {
        resource_type: Some("skill".to_owned()),
        refreshable: Some(true),
        ..ResourceRecord::default()
    }
}
