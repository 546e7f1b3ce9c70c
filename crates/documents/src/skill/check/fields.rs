//! Checks the fields of the Agent Skills specification: name, description, license, compatibility,
//! metadata, allowed-tools.
use overt_policy::finding::Pointer;
use overt_policy::near::nearest;
use serde_json::{Map, Value};

use super::checker::{Checker, kind};
use super::{Edit, Rule};
use crate::skill::file::has_tag;

/// The fields of the specification.
pub(super) const STANDARD: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/// The field with the metadata of a repository.
pub(in crate::skill) const REPOSITORY: &str = "x-personal-mcp";

const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1024;
const MOST_COMPATIBILITY: usize = 500;

pub(super) fn check(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    unknown(checker, members);
    name(checker, members);
    description(checker, members);
    checker.text_of(Rule::LicenseType, members, &Pointer::root(), "license");
    compatibility(checker, members);
    metadata(checker, members);
    allowed_tools(checker, members);
}

fn at(name: &str) -> Pointer {
    Pointer::root().join(name)
}

fn unknown(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    for name in members.keys().filter(|name| !STANDARD.contains(&name.as_str())) {
        if name == REPOSITORY {
            let fix = "`overt skill project` writes the portable form, with the same metadata as texts";
            checker.add(Rule::FieldRepository, at(name), "is metadata of a repository", fix);
        } else if super::claude::is_field(name) {
            let fix = "move it into `metadata`, or keep the skill for Claude Code";
            checker.add(Rule::FieldClaudeCode, at(name), "is a field of Claude Code", fix);
        } else {
            let fix = match nearest(name, STANDARD.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "move it into `metadata`, where every name is allowed".to_owned(),
            };
            checker.add(Rule::FieldUnknown, at(name), "is not a field of the specification", fix);
        }
    }
}

fn name(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    let directory = checker.source.directory;
    if !members.contains_key("name") {
        let fix = format!("write `name: {directory}`");
        return checker.add(Rule::NameMissing, at("name"), "is missing", fix);
    }
    let Some(name) = checker.text_of(Rule::NameType, members, &Pointer::root(), "name") else { return };
    let name = name.trim();
    if name.is_empty() {
        return checker.add(Rule::NameType, at("name"), "is empty", format!("write `name: {directory}`"));
    }
    let count = name.chars().count();
    if count > MOST_NAME {
        let problem = format!("has {count} characters");
        checker.add(Rule::NameLength, at("name"), problem, format!("at most {MOST_NAME} are allowed"));
    }
    // If the name differs from its directory only in capitals, there is only one possible
    // correction.
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let same = name.to_lowercase() == directory && directory.chars().all(is_plain);
    let edit = (same && name != directory).then(|| Edit::Text(directory.to_owned()));
    let mut report = |rule, problem: String, fix: String| match edit.clone() {
        Some(edit) => checker.add_edit(rule, at("name"), problem, fix, edit),
        None => checker.add(rule, at("name"), problem, fix),
    };
    if !name.chars().all(is_plain) {
        let is_lower = |c: char| c == '-' || (c.is_alphanumeric() && c.to_lowercase().eq([c]));
        let rule = if name.chars().all(is_lower) { Rule::NameAscii } else { Rule::NameCharacters };
        let fix = "use lower-case letters a-z, digits and hyphens";
        report(rule, format!("`{name}` has characters that aren't allowed"), fix.to_owned());
    }
    if name != directory {
        let fix = format!("rename the directory `{directory}`, or write `name: {directory}`");
        report(Rule::NameDirectory, format!("`{name}` is not the name of the directory"), fix);
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        let fix = "use single hyphens between words";
        checker.add(Rule::NameHyphens, at("name"), "has a hyphen at an end, or two in a row", fix);
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        let fix = "begin with a lower-case letter";
        checker.add(Rule::NameLetter, at("name"), "does not begin with a letter", fix);
    }
    for word in ["anthropic", "claude"].iter().filter(|word| name.contains(**word)) {
        let fix = "choose a name without it";
        checker.add(Rule::NameReserved, at("name"), format!("contains the reserved word `{word}`"), fix);
    }
}

fn description(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    const FIX: &str = "say what the skill does and when to use it";
    let here = || at("description");
    if !members.contains_key("description") {
        return checker.add(Rule::DescriptionMissing, here(), "is missing", FIX);
    }
    let text = checker.text_of(Rule::DescriptionType, members, &Pointer::root(), "description");
    let Some(text) = text.map(str::trim) else { return };
    if text.is_empty() {
        return checker.add(Rule::DescriptionType, here(), "is empty", FIX);
    }
    let count = text.chars().count();
    if count > MOST_DESCRIPTION {
        let fix = format!("at most {MOST_DESCRIPTION} are allowed; move details into the instructions");
        checker.add(Rule::DescriptionLength, here(), format!("has {count} characters"), fix);
    }
    if has_tag(text) {
        checker.add(Rule::DescriptionTag, here(), "has a tag in angle brackets", "write it without the tag");
    }
    let when = members.get("when_to_use").and_then(Value::as_str);
    if !says_when(text) && when.is_none_or(|when| when.trim().is_empty()) {
        let fix = "add a sentence that begins with `Use when`";
        checker.add(Rule::DescriptionWhen, here(), "does not say when to use the skill", fix);
    }
}

/// Returns whether a text says when to use the skill. Only English can be checked; texts in
/// non-Latin scripts pass.
pub(in crate::skill) fn says_when(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "when", "whenever", "use this", "use for", "use it", "use to", "used for", "used to", "if you",
        "if the", "trigger", "invoke", "before ", "after ",
    ];
    let text = text.to_lowercase();
    let is_latin = text.chars().filter(|c| c.is_alphabetic()).all(|c| c < '\u{250}');
    !is_latin || WORDS.iter().any(|word| text.contains(word))
}

fn compatibility(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    let text = checker.text_of(Rule::CompatibilityType, members, &Pointer::root(), "compatibility");
    let Some(text) = text else { return };
    let count = text.trim().chars().count();
    if !(1..=MOST_COMPATIBILITY).contains(&count) {
        let fix = format!("write 1 to {MOST_COMPATIBILITY} characters, or leave it out");
        checker.add(Rule::CompatibilityLength, at("compatibility"), format!("has {count} characters"), fix);
    }
}

fn metadata(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    let Some(metadata) = members.get("metadata") else { return };
    let Value::Object(metadata) = metadata else {
        let problem = format!("is {}, not a mapping", kind(metadata));
        return checker.add(Rule::MetadataType, at("metadata"), problem, "write names with a text each");
    };
    for (name, value) in metadata {
        if !value.is_string() {
            checker.not_text(Rule::MetadataType, at("metadata").join(name), value);
        }
        if name.starts_with("io.modelcontextprotocol") {
            let fix = "use a prefix of your own";
            let here = at("metadata").join(name);
            checker.add(Rule::MetadataReserved, here, "has a name that the protocol reserves", fix);
        }
    }
}

fn allowed_tools(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    const NAME: &str = "allowed-tools";
    let joined = |tools: &[&str]| {
        let is_one = |tool: &&str| !tool.is_empty() && !tool.contains(char::is_whitespace);
        (!tools.is_empty() && tools.iter().all(is_one)).then(|| Edit::Text(tools.join(" ")))
    };
    let (rule, problem, fix, edit) = match members.get(NAME) {
        None => return,
        Some(Value::String(text)) => {
            let tools = top_level_commas(text);
            if tools.len() < 2 {
                return;
            }
            let fix = "write spaces between the tools";
            (Rule::AllowedToolsCommas, "has commas between the tools", fix, joined(&tools))
        }
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            let tools: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            let fix = "write one text with spaces between the tools";
            (Rule::AllowedToolsList, "is a list", fix, joined(&tools))
        }
        Some(other) => {
            let problem = format!("is {}, not text", kind(other));
            let fix = "write one text with spaces between the tools";
            return checker.add(Rule::AllowedToolsType, at(NAME), problem, fix);
        }
    };
    match edit {
        Some(edit) => checker.add_edit(rule, at(NAME), problem, fix, edit),
        None => checker.add(rule, at(NAME), problem, fix),
    }
}

/// Splits the text at the commas that are not in parentheses.
pub(in crate::skill) fn top_level_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}
