//! The text of a new skill.
use serde_json::{Map, Value, json};

use super::check::REPOSITORY;
use super::file::is_skill_name;
use crate::yaml;
use overt_policy::finding::{Findings, Pointer};

/// The parts of a new skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    name: String,
    description: String,
    form: Form,
}

/// The intended reader of the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Every reader except repositories, which require metadata that the reference rejects.
    Portable,
    /// A repository. `overt skill project` makes the portable form.
    Repository,
}

impl Template {
    /// Creates a template. Fails if some reader would not accept the name.
    pub fn new(name: &str, description: Option<&str>, form: Form) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        if !is_skill_name(name) {
            let fix = "use lower-case letters, digits and single hyphens, begin with a letter, at most 64 in all, \
                       without `anthropic` and `claude`";
            findings.error(Pointer::root().join("name"), format!("`{name}` is not a name for a skill"), fix);
            return Err(findings);
        }
        let default = || format!("Describe here what {name} does. Use when the user asks for {name}.");
        let description = description.map_or_else(default, str::to_owned);
        Ok(Self { name: name.to_owned(), description, form })
    }

    pub fn render(&self) -> String {
        let name = &self.name;
        let mut members = Map::new();
        members.insert("name".to_owned(), json!(name));
        members.insert("description".to_owned(), json!(self.description));
        if self.form == Form::Repository {
            let block: Value = json!({
                "id": name,
                "version": "0.1.0",
                "capabilities": [format!("resource://skills/{name}/document")],
            });
            members.insert(REPOSITORY.to_owned(), block);
        }
        let title = title(name);
        format!(
            "---\n{}---\n\n# {title}\n\n## When to use\n\n- Name the requests that this skill is for.\n\n## Steps\n\n\
             1. Say what to do first.\n2. Say how to check the result.\n",
            yaml::write(&members)
        )
    }
}

/// Converts `pdf-tools` to `Pdf tools`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
