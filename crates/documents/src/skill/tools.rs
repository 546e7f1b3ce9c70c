//! The tools in the skill of a server: all tools with all parameters, in the instructions or in a
//! file beside them (D-29).
use crate::ai_help::{Help, Operation, Parameter, Section, members};
use crate::description::DescribedTool;
use crate::markdown::{LINE, code, foreign_line, name};
use overt_policy::record::{Effect, ToolRecord};

/// The file with the full description of the tools.
pub const TOOLS_PATH: &str = "references/tools.md";

/// With more tools, or more bytes in their lines, the tools go into a file of their own, because
/// agents read the whole instructions each time.
const MOST_TOOLS: usize = 120;
const MOST_BYTES: usize = 12_000;
/// The most tool names in the instructions when the details are in the file.
const MOST_NAMES: usize = 400;

/// The section about the tools.
#[derive(Debug, Default)]
pub(super) struct ToolsSection {
    /// The text; `None` if there are no tools.
    pub(super) text: Option<String>,
    /// The tool reference of the help, if the section only links to it.
    pub(super) reference: Option<String>,
}

pub(super) fn tools_section(tools: &[DescribedTool], help: &Help) -> ToolsSection {
    if tools.is_empty() {
        return ToolsSection::default();
    }
    let signatures: Vec<(String, usize)> = tools.iter().take(MOST_TOOLS + 1).map(tool_line).collect();
    let bytes: usize = signatures.iter().map(|(line, _)| line.len()).sum();
    let has_all = signatures.iter().all(|(_, more)| *more == 0);
    let (mut text, reference) = match help.part(Section::ToolReference) {
        Some(part) if tools.len() > MOST_TOOLS || bytes > MOST_BYTES || !has_all => {
            (named(tools), Some(format!("# {}\n\n{}", part.heading, part.text)))
        }
        _ => {
            let lines: String = signatures.into_iter().map(|(line, _)| line).collect();
            (format!("## Tools\n\n{lines}"), None)
        }
    };
    let careful: Vec<&DescribedTool> =
        tools.iter().filter(|tool| tool.record.as_ref().is_some_and(ToolRecord::needs_approval)).collect();
    if !careful.is_empty() {
        text.push_str(&format!("\n**Caution:** ask the person before each call of {}.\n", names(&careful)));
    }
    ToolsSection { text: Some(text), reference }
}

/// Returns only the names, and a link to the details.
fn named(tools: &[DescribedTool]) -> String {
    let all: Vec<&DescribedTool> = tools.iter().collect();
    format!(
        "## Tools\n\nThe server has {} tools. What each does and every parameter: [{TOOLS_PATH}]({TOOLS_PATH}).\n\n{}.\n",
        tools.len(),
        names(&all)
    )
}

fn names(tools: &[&DescribedTool]) -> String {
    let mut names: Vec<String> =
        tools.iter().take(MOST_NAMES).map(|tool| code(&name(&tool.live.name))).collect();
    let more = tools.len().saturating_sub(MOST_NAMES);
    names.extend((more > 0).then(|| format!("and {more} more")));
    names.join(", ")
}

/// Returns `` - `name(required, optional?)` — description (effect) ``, and the number of omitted
/// parameters.
fn tool_line(tool: &DescribedTool) -> (String, usize) {
    let operation = Operation::of(tool);
    let (parameters, more) = members(tool.live.input_schema());
    let parameters: Vec<String> = parameters.iter().map(Parameter::in_signature).collect();
    // This does not use `markdown::code`, which shortens: a signature has all parameters, however
    // long it is.
    let mut line = format!("- `{}({})`", operation.name.replace('`', "'"), parameters.join(", "));
    if !operation.text.is_empty() {
        line.push_str(&format!(" — {}", foreign_line(&operation.text, LINE)));
    }
    let effect = tool.record.as_ref().and_then(|record| record.effect).map(|effect| match effect {
        Effect::Read => " (reads only)",
        Effect::Mutating => " (changes data)",
        Effect::External => " (acts on systems outside of the server)",
        Effect::Destructive => " (**destructive**)",
    });
    (line + effect.unwrap_or_default() + "\n", more)
}
