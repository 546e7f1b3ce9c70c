//! The file of the Agent Skills specification: six members in the front matter, and instructions.
//! Every reader must accept a written file, so this module allows only what all readers allow
//! (X-18, F-01 to F-03).
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::front_matter::split;
use crate::yaml;
use overt_policy::finding::{Findings, Pointer, Severity};
use overt_policy::members::Members;

const MOST_NAME: usize = 64;
pub(super) const MOST_DESCRIPTION: usize = 1024;
const MOST_COMPATIBILITY: usize = 500;
/// The recommended limit of the instructions. Longer ones belong in files beside it.
const MOST_LINES: usize = 500;

/// The front matter and the instructions of a SKILL.md.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skill {
    /// The name of the skill and of its directory.
    pub name: String,
    /// What the skill does and when to use it.
    pub description: String,
    pub license: Option<String>,
    /// What the skill requires.
    pub compatibility: Option<String>,
    pub metadata: IndexMap<String, String>,
    /// Tools that the skill may use without asking, separated by spaces.
    pub allowed_tools: Option<String>,
    /// The instructions, in Markdown.
    pub body: String,
}

impl Skill {
    pub fn render(&self) -> String {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("name", json!(self.name));
        put("description", json!(self.description));
        for (name, text) in [("license", &self.license), ("compatibility", &self.compatibility)] {
            text.as_ref().map(|text| put(name, json!(text)));
        }
        if !self.metadata.is_empty() {
            put("metadata", json!(self.metadata));
        }
        self.allowed_tools.as_ref().map(|tools| put("allowed-tools", json!(tools)));
        format!("---\n{}---\n\n{}", yaml::write(&members), self.body)
    }

    pub fn parse(text: &str) -> Result<Self, Findings> {
        let parts = split(text)?;
        let mut findings = Findings::default();
        let Some(front) = parts.front else {
            findings.error(Pointer::root(), "has no front matter", "begin the file with a line `---`");
            return Err(findings);
        };
        let yaml = yaml::read(front, 2)?;
        let body = parts.body.trim_start_matches(['\r', '\n']);
        let skill = Members::of(&yaml.value, Pointer::root(), &mut findings).and_then(|mut members| {
            let name =
                members.required_text("name", "write a name of lower-case letters, digits and hyphens");
            let description = members.required_text("description", "say what it does and when to use it");
            let [license, compatibility] = ["license", "compatibility"].map(|name| members.text(name));
            let metadata = members.text_map("metadata").unwrap_or_default();
            let allowed_tools = match members.raw("allowed-tools") {
                Some(Value::Array(_)) => members.texts("allowed-tools").map(|tools| tools.join(" ")),
                _ => members.text("allowed-tools"),
            };
            members.unknown(Severity::Error);
            let body = body.to_owned();
            Some(Self {
                name: name?,
                description: description?,
                license,
                compatibility,
                metadata,
                allowed_tools,
                body,
            })
        });
        let Some(skill) = skill else { return Err(findings) };
        skill.check(&mut findings);
        findings.into_result(skill).map(|(skill, _)| skill)
    }

    /// Reports what is wrong with the values.
    pub fn check(&self, findings: &mut Findings) {
        let at = |name: &str| Pointer::root().join(name);
        if !is_skill_name(&self.name) {
            let fix = "use lower-case letters, digits and single hyphens, begin with a letter, at most 64 in all, and \
                       without the names of other people's products";
            findings.error(at("name"), "is not a name for a skill", fix);
        }
        let length = self.description.trim().chars().count();
        if !(1..=MOST_DESCRIPTION).contains(&length) {
            let fix = format!("write 1 to {MOST_DESCRIPTION} characters");
            findings.error(at("description"), format!("has {length} characters"), fix);
        }
        if has_tag(&self.description) {
            findings.error(at("description"), "has a tag in angle brackets", "write it without the tag");
        }
        if let Some(text) = &self.compatibility
            && !(1..=MOST_COMPATIBILITY).contains(&text.chars().count())
        {
            let fix = format!("write 1 to {MOST_COMPATIBILITY} characters, or leave it out");
            findings.error(at("compatibility"), "is empty or too long", fix);
        }
        let lines = self.body.lines().count();
        if lines >= MOST_LINES {
            let fix = "move details into files beside it";
            findings.warning(Pointer::root(), format!("has {lines} lines of instructions"), fix);
        }
    }
}

/// Returns whether every reader accepts the name: lower-case letters, digits and single hyphens,
/// beginning with a letter (X-18, F-01).
pub fn is_skill_name(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=MOST_NAME).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(|word| !word.is_empty() && word.chars().all(letters))
        && !["claude", "anthropic"].iter().any(|reserved| name.contains(reserved))
}

/// Returns whether the text contains a tag such as `<b>`, `</b>` or `<!-- -->`.
pub(super) fn has_tag(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let rest = &text[at + 1..];
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
            && rest.contains('>')
    })
}
