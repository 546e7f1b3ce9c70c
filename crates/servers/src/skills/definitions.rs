//! The entries with which lists describe skills and their files.
use std::sync::Arc;

use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::skill::MAIN_FILE;

use super::mime::mime_type;
use super::served::{Record, ServedFile, ServedSkill};
use super::uri;

/// The entries of `resources/list`: the SKILL.md of each skill, and the addresses of seed 001 if a
/// skill declares them.
pub(super) fn resources(skills: &[Arc<ServedSkill>]) -> Vec<JsonBuf> {
    let mains = skills.iter().filter_map(|skill| Some(file(skill, skill.file(MAIN_FILE)?)));
    let declared = skills.iter().filter(|skill| skill.record.is_declared).flat_map(|skill| of_record(skill));
    mains.chain(declared).collect()
}

/// Describes a file as a resource. A SKILL.md gets the name and the description of its skill.
pub(super) fn file(skill: &ServedSkill, file: &ServedFile) -> JsonBuf {
    let is_main = file.uri == skill.uri;
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let object = Object::new()
        .string("uri", &file.uri)
        .string("name", if is_main { &skill.name } else { name })
        .maybe("description", is_main.then_some(&skill.description))
        .string("mimeType", mime_type(&file.path))
        .raw("size", &file.size.to_string());
    object.finish()
}

/// The document and the references of a skill, as seed 001 and FastMCP describe them (F-21, F-22).
fn of_record(skill: &ServedSkill) -> Vec<JsonBuf> {
    let record = &skill.record;
    let Some(main) = skill.file(MAIN_FILE) else { return Vec::new() };
    let document = Object::new()
        .string("uri", &uri::of_document(&record.id))
        .string("name", &skill.name)
        .string("description", &skill.description)
        .string("mimeType", "text/markdown")
        .raw("size", &main.size.to_string())
        .json("annotations", annotations().as_json())
        .json("_meta", meta(record, None).as_json())
        .finish();
    let references = record.references.iter().filter_map(|(id, reference)| {
        let file = skill.file(&reference.path)?;
        let object = Object::new()
            .string("uri", &uri::of_reference(&record.id, id))
            .string("name", id)
            .maybe("title", reference.title.as_deref())
            .string("mimeType", &reference.mime_type)
            .raw("size", &file.size.to_string())
            .json("annotations", annotations().as_json())
            .json("_meta", meta(record, Some((id, &reference.path))).as_json());
        Some(object.finish())
    });
    std::iter::once(document).chain(references).collect()
}

fn annotations() -> JsonBuf {
    Object::new().raw("readOnlyHint", "true").raw("idempotentHint", "true").finish()
}

fn meta(record: &Record, reference: Option<(&str, &str)>) -> JsonBuf {
    let tags = record.tags.iter().fold(Array::new(), |tags, tag| match JsonBuf::of(tag) {
        Ok(tag) => tags.json(tag.as_json()),
        Err(_) => tags,
    });
    let fastmcp = Object::new()
        .json("tags", tags.finish().as_json())
        .maybe("version", record.version.as_deref())
        .finish();
    let meta = Object::new().string("skill_id", &record.id);
    let meta = match reference {
        Some((id, path)) => meta.string("ref_id", id).string("path", path),
        None => meta,
    };
    meta.json("fastmcp", fastmcp.as_json()).finish()
}

/// The list of files that FastMCP clients read before they download a skill.
pub(super) fn manifest(skill: &ServedSkill) -> JsonBuf {
    let files = skill.files.iter().fold(Array::new(), |files, file| {
        files.object(|object| {
            object
                .string("path", &file.path)
                .raw("size", &file.size.to_string())
                .string("hash", &file.digest.to_string())
        })
    });
    Object::new().string("skill", &skill.path).json("files", files.finish().as_json()).finish()
}
