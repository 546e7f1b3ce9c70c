//! The skill of a server: when to use it, how to connect, and what each tool does. It is made from
//! the help, so that both say the same (D-29).
use indexmap::IndexMap;

use super::check::{says_when, top_level_commas};
use super::file::{MOST_DESCRIPTION, Skill, has_tag};
use super::tools::{TOOLS_PATH, tools_section};
use crate::ai_help::{Help, Outline, Section};
use crate::dashdash::SPEC_VERSION;
use crate::description::Description;
use crate::markdown::{LINE, block, line, lines, visible};
use crate::server_location::ServerLocation;
use crate::text_source::TextSource;
use overt_policy::finding::{Findings, Pointer};

/// The most lines of a section; a longer one is replaced by a reference to the help. The whole file
/// must have fewer than 500 lines.
const MOST_PART: usize = 40;
/// The most lines of all sections together.
const MOST_LINES: usize = 440;
/// The most names of omitted sections.
const MOST_NAMES: usize = 40;

/// The SKILL.md of a server, and its tool reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSkill {
    pub skill: Skill,
    /// Every tool with all of its parameters, for the file [`TOOLS_PATH`]. `None` if the skill
    /// itself has them all.
    pub tool_reference: Option<String>,
}

impl ServerSkill {
    /// Makes the skill from a description.
    pub fn of(description: &Description, place: &ServerLocation) -> Result<Self, Findings> {
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
        let (body, tool_reference) = body(description, help);
        let skill = Skill {
            name: description.name.clone(),
            description: skill_description(description),
            license: server
                .license
                .as_ref()
                .map(|license| line(license, LINE))
                .filter(|text| !text.is_empty()),
            compatibility: Some(compatibility(description, help)),
            metadata,
            allowed_tools: allowed_tools(description),
            body,
        };
        let mut found = Findings::default();
        skill.check(&mut found);
        // The fault is in the declaration, so the finding points there.
        let mut findings = Findings::default();
        for finding in found {
            let at = Pointer::root().join("server").append(&finding.at);
            findings.push(finding.severity, at, finding.problem, finding.fix);
        }
        findings.into_result(Self { skill, tool_reference }).map(|(skill, _)| skill)
    }

    /// Makes the skill from the answer of a third-party server to `ai_help` (D-29).
    pub fn of_outline(outline: &Outline) -> Result<Self, Findings> {
        let mut blocks =
            vec![format!("# {}\n\n{}\n", line(&outline.title, 100), line(&outline.summary, LINE))];
        let mut room = MOST_LINES;
        let mut left_out = Vec::new();
        let mut tool_reference = None;
        for part in &outline.parts {
            let heading = line(&part.heading, 100);
            if part.heading.eq_ignore_ascii_case(Section::ToolReference.heading()) {
                tool_reference = Some(format!("# {heading}\n\n{}", visible(&part.text)));
                blocks.push(format!(
                    "## Tools\n\nEvery tool and its parameters: [{TOOLS_PATH}]({TOOLS_PATH}).\n"
                ));
            } else if room > MOST_PART {
                let block_text = shown(&heading, &block(&part.text));
                room -= block_text.lines().count().min(room);
                blocks.push(block_text);
            } else {
                left_out.push(heading);
            }
        }
        if !left_out.is_empty() {
            let more = left_out.len().saturating_sub(MOST_NAMES);
            left_out.truncate(MOST_NAMES);
            left_out.extend((more > 0).then(|| format!("and {more} more")));
            let names = left_out.join(", ");
            blocks.push(format!("## More\n\nAsk the server with the method `ai_help` for: {names}.\n"));
        }
        let front = &outline.front;
        let facts = [("mcp-server", &front.name), ("dashdash-spec-version", &front.spec_version)];
        let skill = Skill {
            name: front.name.clone(),
            description: line(&front.description, 2000),
            compatibility: Some(line(&format!("Needs the MCP server {}", front.name), 500)),
            metadata: facts.into_iter().map(|(name, text)| (name.to_owned(), line(text, 64))).collect(),
            body: blocks.join("\n"),
            ..Skill::default()
        };
        let mut findings = Findings::default();
        skill.check(&mut findings);
        findings.into_result(Self { skill, tool_reference }).map(|(skill, _)| skill)
    }

    /// Returns the files of the skill, with their paths below its directory.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let mut files = vec![("SKILL.md", self.skill.render())];
        files.extend(self.tool_reference.as_ref().map(|text| (TOOLS_PATH, text.clone())));
        files
    }
}

/// Returns the description of the skill. An author's text stays unchanged, and findings say what to
/// correct. A server's own text is adapted to the rules.
fn skill_description(description: &Description) -> String {
    let occasion = occasion(description);
    let text = line(&description.server.description, 2000);
    if description.source == TextSource::Author {
        return text;
    }
    let text = line(&text, MOST_DESCRIPTION - occasion.chars().count() - 1);
    let text = if has_tag(&text) { text.replace('<', "< ") } else { text };
    if says_when(&text) {
        return line(&text, MOST_DESCRIPTION);
    }
    if text.is_empty() {
        return occasion;
    }
    let end = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    line(&format!("{text}{end} {occasion}"), MOST_DESCRIPTION)
}

/// Returns when to use a server that doesn't say so: when one of its tools helps.
fn occasion(description: &Description) -> String {
    const MOST: usize = 3;
    let plain = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let names = description.tools.iter().map(|tool| tool.live.name.chars().filter(plain).take(60).collect());
    let names: Vec<String> = names.filter(|name: &String| !name.is_empty()).take(MOST).collect();
    if names.is_empty() {
        return format!("Use when the user asks for the MCP server {}.", description.name);
    }
    let more = description.tools.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Use when one of its tools helps: {}{more}.", names.join(", "))
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

/// Returns the tools that a client may use without asking. Only an author may declare that, not a
/// server about itself.
fn allowed_tools(description: &Description) -> Option<String> {
    if description.source == TextSource::Server {
        return None;
    }
    let tools = lines(&description.server.invocation.as_ref()?.allowed_tools);
    let tools: Vec<&str> = tools.iter().flat_map(|tools| top_level_commas(tools)).collect();
    let tools: Vec<&str> = tools.into_iter().filter(|tool| !tool.is_empty()).collect();
    (!tools.is_empty()).then(|| tools.join(" "))
}

/// Returns the instructions, and the tool reference if the tools do not fit into them.
fn body(description: &Description, help: &Help) -> (String, Option<String>) {
    let mut blocks = vec![format!("# {}\n\n{}\n", help.title.markdown(), help.summary.markdown())];
    let part = |section: Section| help.part(section).map(|part| shown(&part.heading, &part.text));
    blocks.extend(part(Section::WhenToUse));
    blocks.extend(part(Section::Installation));
    blocks.extend(part(Section::Authentication));
    let tools = tools_section(&description.tools, help);
    blocks.extend(tools.text);
    for section in [
        Section::RateLimits,
        Section::ErrorHandling,
        Section::AlternativeAccess,
        Section::BestPractices,
        Section::Troubleshooting,
    ] {
        blocks.extend(part(section));
    }
    (blocks.join("\n"), tools.reference)
}

/// Returns a section, or a reference to it if it is long.
fn shown(heading: &str, text: &str) -> String {
    if text.lines().count() > MOST_PART {
        let section =
            format!("This is long: ask the server with the method `ai_help`, section \"{heading}\".");
        return format!("## {heading}\n\n{section}\n");
    }
    format!("## {heading}\n\n{text}")
}
