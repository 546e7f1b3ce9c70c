//! The tool reference: every tool in full.
use serde_json::{Map, Value, json};

use super::help::Part;
use super::lines::error_line;
use super::parameters::{SchemaRole, members};
use super::section::Section;
use crate::dashdash::ToolObject;
use crate::description::{DescribedTool, Description};
use crate::markdown::{BLOCK, LINE, code, json_fence, line, name, quotation};
use crate::text_source::TextSource;
use overt_policy::record::{Effect, ToolRecord};

pub(super) fn reference(description: &Description) -> Option<Part> {
    let texts: Vec<String> = description.tools.iter().map(|tool| text(tool, description.source)).collect();
    let data: Vec<Value> = description.tools.iter().map(|tool| data(tool, description)).collect();
    (!data.is_empty()).then(|| Part::new(Section::ToolReference, texts.join("\n"), data.into()))
}

fn text(tool: &DescribedTool, source: TextSource) -> String {
    let mut blocks = vec![format!("### {}\n", code(&name(&tool.live.name)))];
    if let Some(description) = &tool.live.description {
        blocks.push(quotation(description));
    }
    if let Some(record) = &tool.record {
        blocks.extend(nature(record));
    }
    blocks.push(
        fields("Parameters", tool.live.input_schema(), SchemaRole::Arguments)
            .unwrap_or_else(|| "**Parameters:** none\n".to_owned()),
    );
    blocks.extend(tool.live.output_schema().and_then(|schema| fields("Returns", schema, SchemaRole::Result)));
    if let Some(record) = &tool.record {
        blocks.extend(declared(record, source));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

/// Returns the effect of a call in one line.
fn nature(record: &ToolRecord) -> Option<String> {
    let mut facts = Vec::new();
    if let Some(effect) = record.effect {
        facts.push(match effect {
            Effect::Read => "reads only".to_owned(),
            Effect::Mutating => "changes data".to_owned(),
            Effect::External => "acts on systems outside of the server".to_owned(),
            Effect::Destructive => "**may destroy data**".to_owned(),
        });
    }
    if record.needs_approval() {
        facts.push("**ask the person before each call**".to_owned());
    }
    match (record.idempotent, record.idempotent_with_key) {
        (Some(true), _) => facts.push("idempotent".to_owned()),
        (_, Some(true)) => facts.push("idempotent with a key".to_owned()),
        (Some(false), _) => facts.push("not idempotent".to_owned()),
        _ => {}
    }
    match (&record.reverse_method, record.reversible) {
        // A read needs no undoing.
        _ if record.effect == Some(Effect::Read) => {}
        (Some(tool), _) => facts.push(format!("undone by {}", code(tool))),
        (None, Some(true)) => facts.push("can be undone".to_owned()),
        (None, Some(false)) => facts.push("can't be undone".to_owned()),
        (None, None) => {}
    }
    if let Some(limit) = record.rate_limit {
        facts.push(format!("at most {limit}"));
    }
    (!facts.is_empty()).then(|| format!("**Effect:** {}\n", facts.join("; ")))
}

fn fields(heading: &str, schema: &Value, of: SchemaRole) -> Option<String> {
    let (shown, more) = members(schema);
    if shown.is_empty() {
        return None;
    }
    let mut text = format!("**{heading}:**\n\n");
    text.extend(shown.iter().map(|member| member.lines(of)));
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    Some(text)
}

/// Returns the declared facts other than the effect.
fn declared(record: &ToolRecord, source: TextSource) -> Vec<String> {
    let mut blocks = Vec::new();
    let effects = source.lines(&record.side_effects);
    if !effects.is_empty() {
        blocks.push(format!("**Side Effects:** {}\n", effects.join("; ")));
    }
    for (heading, text) in
        [("CLI Equivalent", &record.cli_equivalent), ("API Equivalent", &record.api_equivalent)]
    {
        blocks.extend(text.as_ref().map(|text| format!("**{heading}:** {}\n", code(text))));
    }
    for example in &record.examples {
        let Some(input) = json_fence(&example.input) else { continue };
        blocks.push(format!("**Example:** {}\n\n{input}", source.line(&example.description, LINE)));
        blocks
            .extend(example.output.as_ref().and_then(json_fence).map(|output| format!("Gives:\n\n{output}")));
    }
    if !record.errors.is_empty() {
        let lines: String =
            record.errors.iter().map(|error| format!("- {}\n", error_line(error, source))).collect();
        blocks.push(format!("**Errors:**\n\n{lines}"));
    }
    blocks
}

fn data(tool: &DescribedTool, description: &Description) -> Value {
    let mut all = Map::new();
    all.insert("name".to_owned(), json!(tool.live.name));
    if let Some(text) = &tool.live.description {
        all.insert("description".to_owned(), json!(line(text, BLOCK)));
    }
    if let Some(record) = &tool.record {
        if let Some(effect) = record.effect {
            all.insert("effect".to_owned(), json!(effect));
            all.insert("needsApproval".to_owned(), json!(record.needs_approval()));
        }
        if let Value::Object(object) = json!(ToolObject::of(record, description)) {
            all.extend(object);
        }
    }
    let mut list = |heading: &str, schema: &Value, of| {
        let (shown, more) = members(schema);
        let shown: Vec<Value> = shown.iter().map(|member| member.json(of)).collect();
        all.insert(heading.to_owned(), shown.into());
        // Omitted members are counted, never dropped silently (D-29).
        if more > 0 {
            all.insert(format!("{heading}Omitted"), json!(more));
        }
    };
    list("parameters", tool.live.input_schema(), SchemaRole::Arguments);
    if let Some(schema) = tool.live.output_schema() {
        list("returns", schema, SchemaRole::Result);
    }
    all.into()
}
