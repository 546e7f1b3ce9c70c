//! Checks the metadata of a repository, which is the block `x-personal-mcp` (F-05 to F-13).
use overt_policy::finding::Pointer;
use serde_json::{Map, Value};

use super::Rule;
use super::checker::{Checker, kind};
use super::fields::REPOSITORY;
use crate::skill::reference_path::{ReferencePathError, reference_path};

/// Checks the known fields of the block. Other fields are ignored (F-13).
pub(super) fn check(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    let at = Pointer::root().join(REPOSITORY);
    let block = match members.get(REPOSITORY) {
        None => {
            let fix = "write `id`, `version` and `capabilities` below it";
            return checker.add(Rule::RepositoryMissing, at, "is missing", fix);
        }
        Some(Value::Object(block)) => block,
        Some(other) => {
            let problem = format!("is {}, not a mapping", kind(other));
            let fix = "write `id`, `version` and `capabilities` below it";
            return checker.add(Rule::RepositoryType, at, problem, fix);
        }
    };
    let name = members.get("name").and_then(Value::as_str).map(str::trim);
    let id = id(checker, block, &at, name);
    version(checker, block, &at);
    capabilities(checker, block, &at, id);
    for tag in texts(checker, block, &at, "tags") {
        if !is_kebab(tag) {
            let problem = format!("`{tag}` is not kebab-case");
            checker.add(Rule::RepositoryTag, at.join("tags"), problem, "use lower-case words and hyphens");
        }
    }
    for dependency in texts(checker, block, &at, "depends_on") {
        if !is_id(dependency) {
            let problem = format!("`{dependency}` is not the id of a skill");
            checker.add(Rule::RepositoryDependency, at.join("depends_on"), problem, ID);
        }
    }
    references(checker, block, &at);
}

const ID: &str = "begin with a lower-case letter; use lower-case letters, digits and hyphens";

/// Returns whether the text matches `^[a-z][a-z0-9-]*$`.
pub(in crate::skill) fn is_id(text: &str) -> bool {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(part)
}

fn is_kebab(text: &str) -> bool {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.split('-').all(|word| !word.is_empty() && word.chars().all(part))
}

fn id<'v>(
    checker: &mut Checker<'_>,
    block: &'v Map<String, Value>,
    at: &Pointer,
    name: Option<&str>,
) -> Option<&'v str> {
    let here = at.join("id");
    if !block.contains_key("id") {
        let fix = format!("write `id: {}`", checker.source.directory);
        checker.add(Rule::RepositoryId, here, "is missing", fix);
        return None;
    }
    let id = checker.text_of(Rule::RepositoryType, block, at, "id")?.trim();
    if !is_id(id) {
        checker.add(Rule::RepositoryId, here.clone(), format!("`{id}` is not an id"), ID);
    }
    if let Some(name) = name.filter(|name| *name != id) {
        let fix = format!("write `id: {name}`");
        checker.add(Rule::RepositoryId, here.clone(), format!("`{id}` is not the name of the skill"), fix);
    }
    let directory = checker.source.directory;
    if id != directory {
        let problem = format!("`{id}` is not the name of the directory");
        let fix = format!("rename the directory `{directory}`, or write `id: {directory}`");
        checker.add(Rule::RepositoryId, here, problem, fix);
    }
    Some(id)
}

fn version(checker: &mut Checker<'_>, block: &Map<String, Value>, at: &Pointer) {
    const FIX: &str = "write three numbers, such as `1.0.0`, in quotes";
    let here = || at.join("version");
    if !block.contains_key("version") {
        return checker.add(Rule::RepositoryVersion, here(), "is missing", FIX);
    }
    let text = match block.get("version") {
        Some(Value::String(text)) => text.trim(),
        Some(other) => {
            let problem = format!("is {}, not a semantic version", kind(other));
            return checker.add(Rule::RepositoryVersion, here(), problem, FIX);
        }
        None => return,
    };
    match (is_semver(text), fits_contract(text)) {
        (true, true) => {}
        (false, false) => {
            checker.add(Rule::RepositoryVersion, here(), format!("`{text}` is not a semantic version"), FIX);
        }
        (true, false) => {
            let problem =
                format!("`{text}` has a pre-release and a build, which the contract does not accept");
            checker.add(Rule::RepositoryVersionOdd, here(), problem, "leave one of them out");
        }
        (false, true) => {
            let problem = format!("`{text}` fits the contract, but semver 2.0.0 does not accept it");
            checker.add(
                Rule::RepositoryVersionOdd,
                here(),
                problem,
                "leave out leading zeros and empty parts",
            );
        }
    }
}

fn numbers(text: &str) -> Option<&str> {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let parts: Vec<&str> = text[..end].split('.').collect();
    let is_number = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|c| c.is_ascii_digit())
            && (*part == "0" || !part.starts_with('0'))
    };
    (parts.len() == 3 && parts.iter().all(is_number)).then_some(&text[end..])
}

/// Returns whether the text is a version of Semantic Versioning 2.0.0.
fn is_semver(text: &str) -> bool {
    let Some(rest) = numbers(text) else { return false };
    let (release, build) =
        rest.split_once('+').map_or((rest, None), |(release, build)| (release, Some(build)));
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    let is_counted = |part: &str| {
        is_part(part)
            && !(part.len() > 1 && part.starts_with('0') && part.bytes().all(|c| c.is_ascii_digit()))
    };
    let release_fits = match release.strip_prefix('-') {
        Some(release) => release.split('.').all(is_counted),
        None => release.is_empty(),
    };
    release_fits && build.is_none_or(|build| build.split('.').all(is_part))
}

/// Returns whether the text matches the pattern of the contract:
/// `^N\.N\.N(?:[-+][0-9A-Za-z.-]+)?$`.
fn fits_contract(text: &str) -> bool {
    let Some(rest) = numbers(text) else { return false };
    let Some(tail) = rest.strip_prefix(['-', '+']) else { return rest.is_empty() };
    !tail.is_empty() && tail.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-'))
}

fn capabilities(checker: &mut Checker<'_>, block: &Map<String, Value>, at: &Pointer, id: Option<&str>) {
    let here = at.join("capabilities");
    let document = id.map(|id| format!("resource://skills/{id}/document"));
    let fix = match &document {
        Some(document) => format!("write `- {document}` below it"),
        None => "write `- resource://skills/ID/document` below it".to_owned(),
    };
    if !block.contains_key("capabilities") {
        return checker.add(Rule::RepositoryCapability, here, "is missing", fix);
    }
    let before = checker.report.violations.len();
    let listed = texts(checker, block, at, "capabilities");
    if checker.report.violations.len() > before {
        return;
    }
    if listed.is_empty() {
        checker.add(Rule::RepositoryCapability, here, "is empty", fix);
    } else if let Some(document) = document.filter(|document| !listed.contains(&document.as_str())) {
        checker.add(Rule::RepositoryCapability, here, format!("does not have `{document}`"), fix);
    }
}

/// Returns the texts of a list. Reports items that are not texts.
fn texts<'v>(
    checker: &mut Checker<'_>,
    block: &'v Map<String, Value>,
    at: &Pointer,
    name: &str,
) -> Vec<&'v str> {
    let here = at.join(name);
    let items = match block.get(name) {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(other) => {
            let problem = format!("is {}, not a list", kind(other));
            checker.add(Rule::RepositoryType, here, problem, "write a list, an item on each line");
            return Vec::new();
        }
    };
    let mut texts = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item {
            Value::String(text) => texts.push(text.trim()),
            other => checker.not_text(Rule::RepositoryType, here.index(index), other),
        }
    }
    texts
}

fn references(checker: &mut Checker<'_>, block: &Map<String, Value>, at: &Pointer) {
    let here = at.join("references");
    let entries = match block.get("references") {
        None => return,
        Some(Value::Object(entries)) => entries,
        Some(other) => {
            let problem = format!("is {}, not a mapping", kind(other));
            return checker.add(
                Rule::RepositoryType,
                here,
                problem,
                "write an id with a `path` for each file",
            );
        }
    };
    for (id, entry) in entries {
        let here = here.join(id);
        if !is_id(id) {
            let problem = format!("`{id}` is not the id of a reference");
            checker.add(Rule::RepositoryReference, here.clone(), problem, ID);
        }
        let Value::Object(entry) = entry else {
            let problem = format!("is {}, not a mapping", kind(entry));
            checker.add(Rule::RepositoryType, here, problem, "write `path: references/FILE.md` below it");
            continue;
        };
        for name in ["mime_type", "title"] {
            if entry.get(name).is_some_and(|value| !value.is_null() || name == "mime_type") {
                checker.text_of(Rule::RepositoryType, entry, &here, name);
            }
        }
        let fix = "write a path such as `references/FILE.md`";
        if !entry.contains_key("path") {
            checker.add(Rule::RepositoryReference, here.join("path"), "is missing", fix);
            continue;
        }
        let Some(path) = checker.text_of(Rule::RepositoryType, entry, &here, "path") else { continue };
        match reference_path(path) {
            Err(error) => {
                let problem = match error {
                    ReferencePathError::Leaves => "is not a relative path in the directory of the skill",
                    ReferencePathError::Elsewhere => "is not below `references/`",
                    ReferencePathError::NotMarkdown => "is not a Markdown file",
                    ReferencePathError::Character => "has a character that no path has",
                };
                checker.add(Rule::RepositoryReference, here.join("path"), problem, fix);
            }
            Ok(path) if !checker.source.files.has(&path) => {
                let problem = format!("`{path}` is not there");
                checker.add(Rule::RepositoryReference, here.join("path"), problem, "add the file");
            }
            Ok(_) => {}
        }
    }
}
