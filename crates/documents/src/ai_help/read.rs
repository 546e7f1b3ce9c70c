//! Reads both formats of the help, as any server may have written them. Reading is bounded and
//! lenient: a missing part is a finding, and an unknown part is ignored.
use serde_json::Value;

use super::quick::{Group, Operation};
use super::section::Section;
use crate::front_matter::FrontMatter;
use crate::markdown::{next_fence, unescape};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;

/// The most bytes of a help.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The help in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub front: FrontMatter,
    pub title: String,
    pub summary: String,
    pub parts: Vec<OutlinePart>,
}

/// A section as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinePart {
    pub heading: String,
    pub text: String,
}

/// The required members of the help in JSON (D-23).
#[derive(Debug, Clone, PartialEq)]
pub struct ReadJson {
    pub name: String,
    pub description: String,
    pub spec_version: String,
    pub when_to_use: Vec<String>,
    pub quick_reference: Vec<Value>,
    pub authentication: Option<Value>,
    pub rate_limits: Option<Value>,
}

impl Outline {
    /// Parses the help, and checks the structure that D-24 requires.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        if text.len() > MOST_BYTES {
            findings.error(Pointer::root(), "is too long", format!("at most {MOST_BYTES} bytes are read"));
            return Err(findings);
        }
        let (front, body) = FrontMatter::parse(text)?;
        let outline = Self::of_body(front, body, &mut findings);
        outline.check(&mut findings);
        findings.into_result(outline).map(|(outline, _)| outline)
    }

    pub fn part(&self, section: Section) -> Option<&OutlinePart> {
        self.parts.iter().find(|part| part.heading.eq_ignore_ascii_case(section.heading()))
    }

    fn of_body(front: FrontMatter, body: &str, findings: &mut Findings) -> Self {
        let mut title = None;
        let mut summary = None;
        let mut parts: Vec<OutlinePart> = Vec::new();
        let mut fence = None;
        for line in body.lines() {
            fence = next_fence(fence, line);
            let heading = line.strip_prefix("## ").filter(|_| fence.is_none());
            match (heading, parts.last_mut()) {
                (Some(heading), _) => {
                    parts.push(OutlinePart { heading: heading.trim().to_owned(), text: String::new() });
                }
                (None, Some(part)) => {
                    part.text.push_str(line);
                    part.text.push('\n');
                }
                (None, None) => {
                    if let Some(text) = line.strip_prefix("# ") {
                        title.get_or_insert(text.trim());
                    } else if let Some(text) = line.strip_prefix("> ") {
                        summary.get_or_insert(text.trim());
                    }
                }
            }
        }
        for part in &mut parts {
            part.text = part.text.trim_matches('\n').to_owned() + "\n";
        }
        let [title, summary] =
            [("title", title, "# Name of the server"), ("summary", summary, "> What it is")].map(
                |(name, text, fix)| {
                    text.map_or_else(
                        || {
                            let at = Pointer::root().join(name);
                            findings.error(
                                at,
                                "is missing",
                                format!("write a line `{fix}` after the front matter"),
                            );
                            String::new()
                        },
                        str::to_owned,
                    )
                },
            );
        Self { front, title, summary, parts }
    }

    fn check(&self, findings: &mut Findings) {
        let position = |section: Section| {
            self.parts.iter().position(|part| part.heading.eq_ignore_ascii_case(section.heading()))
        };
        let [when, quick] = [Section::WhenToUse, Section::QuickReference].map(|section| {
            let found = position(section);
            if found.is_none() {
                let at = Pointer::root().join(&section.to_string());
                findings.error(at, "is missing", format!("write a section `## {}`", section.heading()));
            }
            found
        });
        if let (Some(when), Some(quick)) = (when, quick)
            && when > quick
        {
            let at = Pointer::root().join(&Section::WhenToUse.to_string());
            findings.error(
                at,
                "comes after the quick reference",
                "move it up: it is what an agent reads first",
            );
        }
    }
}

impl ReadJson {
    pub fn parse(value: &Value) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let read = Members::of(value, Pointer::root(), &mut findings).and_then(|mut members| {
            let metadata = members.object("metadata", |metadata| {
                Some((
                    metadata.required_text("name", "write the server's name")?,
                    metadata.required_text("description", "say what it does and when to use it")?,
                    metadata.required_text("specVersion", "write `0.2.0`")?,
                ))
            });
            if metadata.is_none() {
                members.missing("metadata", "write an object with `name`, `description` and `specVersion`");
            }
            let sections = members.object("sections", |sections| {
                let lists =
                    sections.texts("whenToUse").zip(sections.list("quickReference").map(<[_]>::to_vec));
                if lists.is_none() {
                    sections.missing("whenToUse", "write the lists `whenToUse` and `quickReference`");
                }
                (lists, sections.raw("authentication").cloned(), sections.raw("rateLimits").cloned())
            });
            if sections.is_none() {
                members.missing("sections", "write an object with `whenToUse` and `quickReference`");
            }
            let (name, description, spec_version) = metadata.flatten()?;
            let (lists, authentication, rate_limits) = sections?;
            let (when_to_use, quick_reference) = lists?;
            Some(Self {
                name,
                description,
                spec_version,
                when_to_use,
                quick_reference,
                authentication: authentication.filter(|value| !value.is_null()),
                rate_limits: rate_limits.filter(|value| !value.is_null()),
            })
        });
        match read {
            Some(read) if !findings.has_errors() => Ok(read),
            _ => Err(findings),
        }
    }
}

/// Returns what a section When to Use lists: what the server is for, and what it is not for.
pub fn read_uses(text: &str) -> (Vec<String>, Vec<String>) {
    let mut uses = (Vec::new(), Vec::new());
    let mut negative = false;
    for line in text.lines() {
        match item(line) {
            Some(item) if negative => uses.1.push(item.to_owned()),
            Some(item) => uses.0.push(item.to_owned()),
            None if !line.trim().is_empty() => negative = line.to_ascii_lowercase().contains("not use"),
            None => {}
        }
    }
    uses
}

/// Returns the groups that a quick reference lists.
pub fn read_groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("**").and_then(|line| line.trim_end().strip_suffix(":**")) {
            groups.push(Group { heading: Some(unescape(heading)), operations: Vec::new() });
            continue;
        }
        let Some(rest) = item(line).and_then(|item| item.strip_prefix('`')) else { continue };
        let Some((name, rest)) = rest.split_once('`') else { continue };
        let text = rest.trim_start().trim_start_matches(['—', '-', ':']).trim();
        let operation = Operation { name: name.to_owned(), text: unescape(text) };
        match groups.last_mut() {
            Some(group) => group.operations.push(operation),
            None => groups.push(Group { heading: None, operations: vec![operation] }),
        }
    }
    groups
}

fn item(line: &str) -> Option<&str> {
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map(str::trim)
}
