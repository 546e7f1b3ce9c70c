//! The skill of a server, from its description: when to use it, how to connect, and what each tool does.
use indexmap::IndexMap;
use serde_json::Value;

use super::file::Skill;
use crate::ai_help::{Help, Operation, Outline, Section};
use crate::dashdash::SPEC_VERSION;
use crate::description::{DescribedTool, Description};
use crate::markdown::{LINE, block, code, line, lines, name};
use crate::place::Place;
use crate::voice::Voice;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::record::{Effect, ToolRecord};

/// A section with more lines is named, not shown: the whole must stay under 500.
const MOST_PART: usize = 40;
const MOST_TOOLS: usize = 120;
/// Parameters in the signature of a tool.
const MOST_PARAMETERS: usize = 20;
/// All sections together.
const MOST_LINES: usize = 440;

impl Skill {
    pub fn of(description: &Description, place: &Place) -> Result<Self, Findings> {
        Self::with(description, &Help::of(description, place))
    }

    pub(crate) fn with(description: &Description, help: &Help) -> Result<Self, Findings> {
        let server = &description.server;
        let mut metadata = IndexMap::from([("mcp-server".to_owned(), description.name.clone())]);
        let facts = [
            (
                "mcp-server-version",
                Some(line(&description.info.version, 64)).filter(|version| !version.is_empty()),
            ),
            ("homepage", server.homepage.clone()),
            ("dashdash-spec-version", Some(SPEC_VERSION.to_owned())),
        ];
        metadata.extend(facts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))));
        let skill = Self {
            name: description.name.clone(),
            description: line(&server.description, 2000),
            license: server
                .license
                .as_ref()
                .map(|license| line(license, LINE))
                .filter(|text| !text.is_empty()),
            compatibility: Some(compatibility(description, help)),
            metadata,
            allowed_tools: allowed_tools(description),
            body: body(description, help),
        };
        let mut found = Findings::default();
        skill.check(&mut found);
        // What is wrong is wrong with the declaration, so that is where the finding points.
        let mut findings = Findings::default();
        for finding in found {
            let at = Pointer::root().join("server").append(&finding.at);
            findings.push(finding.severity, at, finding.problem, finding.fix);
        }
        findings.unless_wrong(skill).map(|(skill, _)| skill)
    }
}

impl Skill {
    /// The skill of somebody else's server, from what it answers to `ai_help` (D-29).
    pub fn of_outline(outline: &Outline) -> Result<Self, Findings> {
        let mut blocks =
            vec![format!("# {}\n\n{}\n", line(&outline.title, 100), line(&outline.summary, LINE))];
        let mut room = MOST_LINES;
        for part in &outline.parts {
            // Tools are listed in the quick reference, and a connection has the rest.
            if part.heading != Section::ToolReference.heading() && room > MOST_PART {
                let block_text = shown(&line(&part.heading, 100), &block(&part.text));
                room -= block_text.lines().count().min(room);
                blocks.push(block_text);
            }
        }
        let front = &outline.front;
        let facts = [("mcp-server", &front.name), ("dashdash-spec-version", &front.spec_version)];
        let skill = Self {
            name: front.name.clone(),
            description: line(&front.description, 2000),
            compatibility: Some(line(&format!("Needs the MCP server {}", front.name), 500)),
            metadata: facts.into_iter().map(|(name, text)| (name.to_owned(), line(text, 64))).collect(),
            body: blocks.join("\n"),
            ..Self::default()
        };
        let mut findings = Findings::default();
        skill.check(&mut findings);
        findings.unless_wrong(skill).map(|(skill, _)| skill)
    }
}

fn compatibility(description: &Description, help: &Help) -> String {
    let mut text = format!("Needs the MCP server {}", description.name);
    if let Some(url) = &help.front.urls.mcp {
        text.push_str(&format!(" at {url}"));
    } else if let Some((manager, package)) = description.server.install.first() {
        text.push_str(&format!(" ({manager}: {package})"));
    }
    let env = &description.server.requires.env;
    if !env.is_empty() {
        text.push_str(&format!(" and the environment variables {}", env.join(", ")));
    }
    line(&text, 500)
}

/// What a client may do without asking. That is for an author to say, and not for a server to say of itself.
fn allowed_tools(description: &Description) -> Option<String> {
    if description.voice == Voice::Server {
        return None;
    }
    let tools = lines(&description.server.invocation.as_ref()?.allowed_tools);
    (!tools.is_empty()).then(|| tools.join(" "))
}

fn body(description: &Description, help: &Help) -> String {
    let mut blocks = vec![format!("# {}\n\n{}\n", help.title.markdown(), help.summary.markdown())];
    let part = |section: Section| help.part(section).map(|part| shown(&part.heading, &part.text));
    blocks.extend(part(Section::WhenToUse));
    blocks.extend(part(Section::Installation));
    blocks.extend(part(Section::Authentication));
    blocks.extend(tools(&description.tools));
    for section in [
        Section::RateLimits,
        Section::ErrorHandling,
        Section::AlternativeAccess,
        Section::BestPractices,
        Section::Troubleshooting,
    ] {
        blocks.extend(part(section));
    }
    blocks.join("\n")
}

/// A section, or where it is if it is long.
fn shown(heading: &str, text: &str) -> String {
    if text.lines().count() > MOST_PART {
        let section =
            format!("This is long: ask the server with the method `ai_help`, section \"{heading}\".");
        return format!("## {heading}\n\n{section}\n");
    }
    format!("## {heading}\n\n{text}")
}

fn tools(tools: &[DescribedTool]) -> Option<String> {
    if tools.is_empty() {
        return None;
    }
    let mut text = "## Tools\n\n".to_owned();
    text.extend(tools.iter().take(MOST_TOOLS).map(tool));
    if tools.len() > MOST_TOOLS {
        text.push_str(&format!("- and {} more: list the server's tools\n", tools.len() - MOST_TOOLS));
    }
    let careful: Vec<String> = tools
        .iter()
        .filter(|tool| tool.record.as_ref().is_some_and(ToolRecord::needs_approval))
        .take(MOST_TOOLS)
        .map(|tool| code(&name(&tool.live.name)))
        .collect();
    if !careful.is_empty() {
        text.push_str(&format!(
            "\n**Caution:** ask the person before each call of {}.\n",
            careful.join(", ")
        ));
    }
    Some(text)
}

/// `` - `name(required, optional?)` — what it does (effect) ``
fn tool(tool: &DescribedTool) -> String {
    let operation = Operation::of(tool);
    let name = format!("{}({})", operation.name, parameters(&tool.live.input_schema));
    let effect = tool.record.as_ref().and_then(|record| record.effect).map(|effect| match effect {
        Effect::Read => " (reads only)",
        Effect::Mutating => " (changes data)",
        Effect::External => " (acts on systems outside of the server)",
        Effect::Destructive => " (**destructive**)",
    });
    Operation { name, ..operation }.line().trim_end().to_owned() + effect.unwrap_or_default() + "\n"
}

fn parameters(schema: &Value) -> String {
    let names: Vec<(&String, &Value)> =
        schema.get("properties").and_then(Value::as_object).into_iter().flatten().collect();
    let more = names.len().saturating_sub(MOST_PARAMETERS);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let names = names.into_iter().take(MOST_PARAMETERS).map(|(name, _)| {
        let optional = if is_required(name) { "" } else { "?" };
        format!("{}{optional}", line(name, 64))
    });
    // Nothing is left out silently (D-29).
    let more = (more > 0).then(|| format!("and {more} more"));
    names.chain(more).collect::<Vec<_>>().join(", ")
}
