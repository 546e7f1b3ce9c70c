//! The rules of the reference validator.
use unicode_normalization::UnicodeNormalization as _;

use super::construct::{Data, construct};
use super::failure::{Failure, LocatedError};
use super::parser::Parser;
use super::reader::Reader;
use super::scanner::Scanner;
use super::unicode::{is_alphanumeric, strip};

/// The most bytes of front matter that are read. The reference has no limit.
const MOST_BYTES: usize = 64 * 1024;
const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1024;
const MOST_COMPATIBILITY: usize = 500;

/// The verdict of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its messages; none for a valid skill.
    Messages(Vec<String>),
    /// It ends with a Python exception of this kind and reports nothing.
    Crash(&'static str),
    /// The text exceeds our limits, so the reference's verdict is unknown.
    TooLarge(String),
}

/// Validates a SKILL.md in a directory of this name.
pub fn validate(text: &str, directory: &str) -> Verdict {
    // Python normalizes the line breaks of all systems when it reads text.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let message = |text: &str| Verdict::Messages(vec![text.to_owned()]);
    let Some(rest) = text.strip_prefix("---") else {
        return message("SKILL.md must start with YAML frontmatter (---)");
    };
    let Some((front, _)) = rest.split_once("---") else {
        return message("SKILL.md frontmatter not properly closed with ---");
    };
    match read(front) {
        Ok(Some(members)) => Verdict::Messages(check(&members, directory)),
        Ok(None) => message("SKILL.md frontmatter must be a YAML mapping"),
        Err(verdict) => verdict,
    }
}

/// Returns the members of the front matter, or `None` if it is not a mapping.
fn read(front: &str) -> Result<Option<Vec<(String, Data)>>, Verdict> {
    if front.len() > MOST_BYTES {
        let problem = format!("front matter has {} bytes; at most {MOST_BYTES} are read", front.len());
        return Err(Verdict::TooLarge(problem));
    }
    let reader = Reader::new(front).map_err(|failure| verdict(failure, &[]))?;
    let mut scanner = Scanner::new(reader);
    let data = match Parser::new(&mut scanner).document() {
        Ok(None) => return Ok(None),
        Ok(Some(root)) => construct(root),
        Err(failure) => Err(failure),
    };
    match data {
        Ok(Data::Map(members)) => Ok(Some(members)),
        Ok(_) => Ok(None),
        Err(failure) => Err(verdict(failure, scanner.reader.text())),
    }
}

fn verdict(failure: Failure, text: &[char]) -> Verdict {
    match failure {
        Failure::Yaml(error) => {
            let shown = LocatedError { error: &error, text };
            Verdict::Messages(vec![format!("Invalid YAML in frontmatter: {shown}")])
        }
        Failure::Crash(exception) => Verdict::Crash(exception),
        Failure::Limit(problem) => Verdict::TooLarge(format!("front matter {problem}")),
    }
}

fn check(members: &[(String, Data)], directory: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let get = |name: &str| members.iter().find(|(known, _)| known == name).map(|(_, data)| data);
    let mut extra: Vec<&str> =
        members.iter().map(|(name, _)| name.as_str()).filter(|name| !FIELDS.contains(name)).collect();
    extra.sort_unstable();
    if !extra.is_empty() {
        let allowed = FIELDS.map(|field| format!("'{field}'")).join(", ");
        let extra = extra.join(", ");
        errors.push(format!("Unexpected fields in frontmatter: {extra}. Only [{allowed}] are allowed."));
    }
    match get("name") {
        None => errors.push("Missing required field in frontmatter: name".to_owned()),
        Some(Data::Text(name)) if !strip(name).is_empty() => check_name(strip(name), directory, &mut errors),
        Some(_) => errors.push("Field 'name' must be a non-empty string".to_owned()),
    }
    match get("description") {
        None => errors.push("Missing required field in frontmatter: description".to_owned()),
        Some(Data::Text(text)) if !strip(text).is_empty() => {
            let count = text.chars().count();
            if count > MOST_DESCRIPTION {
                errors
                    .push(format!("Description exceeds {MOST_DESCRIPTION} character limit ({count} chars)"));
            }
        }
        Some(_) => errors.push("Field 'description' must be a non-empty string".to_owned()),
    }
    match get("compatibility") {
        None => {}
        Some(Data::Text(text)) => {
            let count = text.chars().count();
            if count > MOST_COMPATIBILITY {
                errors.push(format!(
                    "Compatibility exceeds {MOST_COMPATIBILITY} character limit ({count} chars)"
                ));
            }
        }
        Some(_) => errors.push("Field 'compatibility' must be a string".to_owned()),
    }
    errors
}

fn check_name(name: &str, directory: &str, errors: &mut Vec<String>) {
    let name: String = name.nfkc().collect();
    let count = name.chars().count();
    if count > MOST_NAME {
        errors.push(format!("Skill name '{name}' exceeds {MOST_NAME} character limit ({count} chars)"));
    }
    if name != name.to_lowercase() {
        errors.push(format!("Skill name '{name}' must be lowercase"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("Skill name cannot start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        errors.push("Skill name cannot contain consecutive hyphens".to_owned());
    }
    if !name.chars().all(|c| is_alphanumeric(c) || c == '-') {
        errors.push(format!(
            "Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
        ));
    }
    if directory.nfkc().collect::<String>() != name {
        errors.push(format!("Directory name '{directory}' must match skill name '{name}'"));
    }
}
