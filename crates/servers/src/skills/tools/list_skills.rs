//! `list_skills`: lists the skills, and the problems of skills that are not served.
use std::sync::Arc;

use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::library::Library;
use super::super::read::may_read;
use super::declared::reading;

const DESCRIPTION: &str = "List the skills with their descriptions. Use it before a task that a skill may describe, then read the \
    skill that fits with `read_skill`.";
/// Most skills in one answer.
const MOST_SKILLS: usize = 200;
/// Most findings in one answer.
const MOST_FINDINGS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Only skills whose name or description contains this text, in any case.
    #[serde(default)]
    query: Option<String>,
    /// Number of skills to skip, to get those after the first 200.
    #[serde(default)]
    offset: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    skills: Vec<Skill>,
    /// All skills that match, including those that are not in this answer.
    total: usize,
    /// Problems of skills that are not served, or are served in an older state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Skill {
    name: String,
    description: String,
    /// Of its SKILL.md.
    uri: String,
}

pub(super) fn tool(library: &Arc<Library>) -> Tool {
    let library = Arc::clone(library);
    Tool::new("list_skills", DESCRIPTION, move |input: Input, context: Context| {
        let output = list(&library, &input, &context);
        async move { Ok::<_, ToolError>(output) }
    })
    .title("List skills")
    .scope_arguments(|arguments, _| arguments.clone())
    .declare(reading("List the skills"))
}

fn list(library: &Library, input: &Input, context: &Context) -> Output {
    let snapshot = library.current();
    let query = input.query.as_deref().unwrap_or_default().to_lowercase();
    let fits = |text: &str| text.to_lowercase().contains(&query);
    let fitting: Vec<_> = snapshot
        .skills
        .iter()
        .filter(|skill| fits(&skill.name) || fits(&skill.description))
        .filter(|skill| may_read(context, &skill.uri))
        .collect();
    let skills = fitting.iter().skip(input.offset).take(MOST_SKILLS).map(|skill| Skill {
        name: skill.name.clone(),
        description: skill.description.clone(),
        uri: skill.uri.clone(),
    });
    Output {
        skills: skills.collect(),
        total: fitting.len(),
        findings: snapshot
            .findings
            .iter()
            .take(MOST_FINDINGS)
            .map(|finding| finding.for_clients(&library.sources.shown))
            .collect(),
    }
}
