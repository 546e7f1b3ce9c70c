//! Builds the help of a server from its description.
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::help::{Help, Part};
use super::lines::{bullets, error_line};
use super::section::Section;
use super::{access, quick, tools};
use crate::description::Description;
use crate::front_matter::FrontMatter;
use crate::markdown::{LINE, code, line, lines, quotation, visible};
use crate::server_location::ServerLocation;
use crate::text_source::{SourcedLine, TextSource};
use overt_policy::record::{KnownError, Trouble};

impl Help {
    pub fn of(description: &Description, place: &ServerLocation) -> Self {
        let front = FrontMatter::of(description, place);
        let server = &description.server;
        let source = description.source;
        let parts = [
            Some(uses(source, &front.description, &server.when_to_use, &server.not_for)),
            Some(quick::quick_reference(&quick::groups(description), description.tools.len())),
            instructions(description),
            access::installation(description, &front),
            access::authentication(server, source),
            rate_limits(description),
            error_handling(description),
            tools::reference(description),
            access::alternatives(server, &front.urls, source),
            best_practices(&server.best_practices, source),
            troubleshooting(&server.troubleshooting, source),
        ];
        // A title that only the server gives is untrusted text, like its descriptions.
        let whose = if server.title.is_some() { source } else { TextSource::Server };
        Self {
            title: SourcedLine::new(&title(description), LINE, whose),
            summary: SourcedLine::new(server.summary(), LINE, source),
            front,
            parts: parts.into_iter().flatten().collect(),
        }
    }
}

/// Returns the title of the server: the declared one, its own, or its name.
pub(crate) fn title(description: &Description) -> String {
    let title = description.server.title.as_ref().or(description.info.title.as_ref());
    match title.map(|title| line(title, 100)) {
        Some(title) if !title.is_empty() => title,
        _ => description.name.clone(),
    }
}

/// Builds the section on when to use the server, and when not.
fn uses(source: TextSource, description: &str, when: &[String], not_for: &[String]) -> Part {
    let [when, not_for] = [when, not_for].map(lines);
    let mut text = if when.is_empty() {
        source.paragraph(description)
    } else {
        format!("Use this MCP server when the user asks to:\n\n{}", bullets(&source.lines(&when)))
    };
    if !not_for.is_empty() {
        let not_for = bullets(&source.lines(&not_for));
        text.push_str(&format!("\nDo NOT use this MCP server for:\n\n{not_for}"));
    }
    let positive = if when.is_empty() { json!([description]) } else { json!(when) };
    let mut part = Part::new(Section::WhenToUse, text, positive);
    if !not_for.is_empty() {
        part.data.insert("doNotUseFor".to_owned(), json!(not_for));
    }
    part
}

/// Builds the section with the instructions that the server sends to every client, as a quotation
/// (H-39).
fn instructions(description: &Description) -> Option<Part> {
    let text = description.info.instructions.as_deref()?.trim();
    // The description may have been taken from the instructions.
    if text.is_empty() || text == description.server.description.trim() {
        return None;
    }
    Some(Part::new(Section::Instructions, quotation(text), json!(visible(text))))
}

fn rate_limits(description: &Description) -> Option<Part> {
    let default = description.server.rate_limit;
    let own = description.tools.iter().filter_map(|tool| {
        let limit = tool.record.as_ref()?.rate_limit.filter(|limit| Some(*limit) != default)?;
        Some((tool.live.name.as_str(), limit))
    });
    let own: Vec<_> = own.collect();
    if default.is_none() && own.is_empty() {
        return None;
    }
    let mut lines = Vec::new();
    let mut data = Map::new();
    if let Some(limit) = default {
        lines.push(format!("Default: {limit}"));
        data.insert("default".to_owned(), json!(limit));
    }
    if !own.is_empty() {
        lines.extend(own.iter().map(|(tool, limit)| format!("{}: {limit}", code(tool))));
        let tools = own.iter().map(|(tool, limit)| ((*tool).to_owned(), json!(limit)));
        data.insert("tools".to_owned(), tools.collect::<Map<_, _>>().into());
    }
    Some(Part::new(Section::RateLimits, bullets(&lines), data.into()))
}

/// Builds the section with all declared errors: first those that any tool may return, then those of
/// certain tools, with their names, then those of Overt in front of the server.
fn error_handling(description: &Description) -> Option<Part> {
    let shared = description.server.errors.iter().map(|error| (error, Vec::new()));
    let mut all: IndexMap<&KnownError, Vec<&str>> = shared.collect();
    for tool in &description.tools {
        let own = tool.record.iter().flat_map(|record| &record.errors);
        for error in own.filter(|error| !description.server.errors.contains(error)) {
            all.entry(error).or_default().push(&tool.live.name);
        }
    }
    let of_overt = &description.errors_of_overt;
    if all.is_empty() && of_overt.is_empty() {
        return None;
    }
    let mut text = "A call that fails answers with a result whose `isError` is true.".to_owned();
    let mut data = Vec::new();
    if !all.is_empty() {
        // What a server in front of which Overt runs writes into its texts is not known.
        text.push_str(match of_overt.is_empty() {
            true => " Its text ends with a code in brackets that says why; without names of tools behind it, any tool can answer with it:",
            false => " The errors of the server, as they were declared; without names of tools behind it, any tool can answer with it:",
        });
        text.push_str("\n\n");
    }
    for (error, tools) in all {
        let names: Vec<String> = tools.iter().map(|tool| code(tool)).collect();
        let line_of = error_line(error, description.source);
        let mut entry = error_entry(error);
        if names.is_empty() {
            text.push_str(&format!("- {line_of}\n"));
        } else {
            text.push_str(&format!("- {line_of} ({})\n", names.join(", ")));
            entry["tools"] = json!(tools);
        }
        data.push(entry);
    }
    if !of_overt.is_empty() {
        text.push_str(if data.is_empty() { " " } else { "\n" });
        text.push_str("Overt runs in front of the server and answers in its place with these; there the text ends with the code in brackets:\n\n");
    }
    for error in of_overt {
        text.push_str(&format!("- {}\n", error_line(error, TextSource::Author)));
        let mut entry = error_entry(error);
        entry["by"] = json!("overt");
        data.push(entry);
    }
    Some(Part::new(Section::ErrorHandling, text, Value::Array(data)))
}

fn error_entry(error: &KnownError) -> Value {
    json!({
        "code": error.code,
        "description": line(&error.description, LINE),
        "resolution": line(&error.resolution, LINE),
    })
}

fn best_practices(practices: &[String], source: TextSource) -> Option<Part> {
    let practices = lines(practices);
    let text = bullets(&source.lines(&practices));
    (!practices.is_empty()).then(|| Part::new(Section::BestPractices, text, json!(practices)))
}

fn troubleshooting(troubles: &[Trouble], source: TextSource) -> Option<Part> {
    let mut text = Vec::new();
    let mut data = Vec::new();
    for trouble in troubles {
        let [problem, cause, solution] =
            [&trouble.problem, &trouble.cause, &trouble.solution].map(|text| line(text, LINE));
        data.push(json!({ "problem": problem, "cause": cause, "solution": solution }));
        let [problem, cause, solution] = [problem, cause, solution].map(|text| source.line(&text, LINE));
        text.push(format!("### {problem}\n\n**Cause:** {cause}\n\n**Solution:** {solution}\n"));
    }
    (!data.is_empty()).then(|| Part::new(Section::Troubleshooting, text.join("\n"), data.into()))
}
