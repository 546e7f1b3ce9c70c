//! Formats what a server offers as tables: a line per entry, fitted to the terminal.
use anstyle::Style;
use overt_documents::skill::remote::SkillManifest;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::skill::SkillEntry;
use overt_wire::view::{Prompt, Resource, Tool};

use super::Listing;
use super::safe::one_line;
use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, paint};
use super::table::{Cell, Table, cut};
use crate::arguments::Parameters;

/// Formats the whole listing.
pub(crate) fn brief(listing: &Listing<'_>, width: Option<usize>) -> String {
    let mut out = heading(listing);
    if let Some(instructions) = listing.server.instructions.as_deref().filter(|text| !text.trim().is_empty())
    {
        let line = format!("instructions: {}", one_line(instructions));
        out.push_str(&paint(DIM, cut(&line, width.unwrap_or(100))));
        out.push('\n');
    }
    if let Some(list) = &listing.tools {
        section(&mut out, "Tools", list, vec!["NAME", "ARGUMENTS", "HINTS", "DESCRIPTION"], width, tool);
    }
    if let Some(list) = &listing.resources {
        section(&mut out, "Resources", list, vec!["URI", "NAME", "TYPE", "DESCRIPTION"], width, resource);
    }
    if let Some(list) = &listing.templates {
        section(
            &mut out,
            "Resource templates",
            list,
            vec!["URI TEMPLATE", "NAME", "TYPE", "DESCRIPTION"],
            width,
            resource,
        );
    }
    if let Some(list) = &listing.prompts {
        section(&mut out, "Prompts", list, vec!["NAME", "ARGUMENTS", "DESCRIPTION"], width, prompt);
    }
    if let Some(list) = &listing.skills {
        let header = vec!["NAME", "URI", "FILES", "BYTES", "REFUSED", "DESCRIPTION"];
        section(&mut out, "Skills", list, header, width, skill);
    }
    out
}

/// The server's name for itself, and the protocol that it speaks.
pub(super) fn heading(listing: &Listing<'_>) -> String {
    let server = listing.server;
    let info = |member: &str| {
        let text = server.info.as_ref().and_then(|info| info.as_json().get(member).string())?;
        Some(one_line(&text)).filter(|text| !text.is_empty())
    };
    let name = info("name").unwrap_or_else(|| "unnamed server".to_owned());
    let mut line = paint(TITLE, &name);
    if let Some(version) = info("version") {
        line.push_str(&format!(" {version}"));
    }
    if let Some(title) = info("title").filter(|title| *title != name) {
        line.push_str(&format!(" ({title})"));
    }
    let capabilities: Vec<String> =
        server.capabilities.as_json().members().map(|(key, _)| one_line(&key.name())).collect();
    let declares = if capabilities.is_empty() { "nothing".to_owned() } else { capabilities.join(", ") };
    let facts = paint(DIM, format!("protocol {}; declares {declares}", server.version));
    format!("{line}\n{facts}\n")
}

pub(super) fn section_title(out: &mut String, title: &str, count: usize) {
    out.push_str(&format!("\n{} {}\n", paint(TITLE, title), paint(DIM, format!("({count})"))));
}

fn section(
    out: &mut String,
    title: &str,
    entries: &[JsonBuf],
    header: Vec<&'static str>,
    width: Option<usize>,
    row: fn(Json<'_>) -> Vec<Cell>,
) {
    section_title(out, title, entries.len());
    if entries.is_empty() {
        return;
    }
    let mut table = Table::new(header);
    for entry in entries {
        table.row(row(entry.as_json()));
    }
    out.push_str(&table.render(width));
}

fn tool(entry: Json<'_>) -> Vec<Cell> {
    let tool = Tool(entry);
    let (hints, style) = hints(tool);
    vec![
        name_cell(tool.name()),
        Cell::new(arguments(&Parameters::of(tool.input_schema())), PLAIN),
        Cell::new(hints, style),
        description(tool.description().or(tool.title())),
    ]
}

fn resource(entry: Json<'_>) -> Vec<Cell> {
    let resource = Resource(entry);
    vec![
        name_cell(resource.uri().or(resource.uri_template())),
        Cell::new(resource.name().map(|name| one_line(&name)).unwrap_or_default(), PLAIN),
        Cell::new(resource.mime_type().map(|kind| one_line(&kind)).unwrap_or_default(), DIM),
        description(resource.description().or(resource.title())),
    ]
}

fn prompt(entry: Json<'_>) -> Vec<Cell> {
    let prompt = Prompt(entry);
    let arguments: Vec<String> =
        prompt.arguments().map(|(name, required)| argument(&one_line(&name), required)).collect();
    vec![
        name_cell(prompt.name()),
        Cell::new(arguments.join(" "), PLAIN),
        description(prompt.description().or(prompt.title())),
    ]
}

fn skill(entry: Json<'_>) -> Vec<Cell> {
    let front = entry.get("frontmatter");
    let manifest = skill_manifest(entry);
    let [files, bytes] = match &manifest {
        Ok(manifest) => [manifest.files().len().to_string(), manifest.size().to_string()],
        Err(_) => [String::new(), String::new()],
    };
    vec![
        name_cell(front.get("name").string()),
        Cell::new(entry.get("uri").string().map(|uri| one_line(&uri)).unwrap_or_default(), PLAIN),
        Cell::new(files, PLAIN),
        Cell::new(bytes, PLAIN),
        Cell::new(manifest.err().map(|problem| one_line(&problem)).unwrap_or_default(), DANGER),
        description(front.get("description").string()),
    ]
}

/// The checked manifest of a listed skill, or the reason why the skill cannot be installed.
pub(super) fn skill_manifest(entry: Json<'_>) -> Result<SkillManifest, String> {
    let entry = SkillEntry::read(entry).map_err(|error| error.to_string())?;
    SkillManifest::new(entry).map_err(|error| error.to_string())
}

type Text<'a> = Option<std::borrow::Cow<'a, str>>;

fn name_cell(name: Text<'_>) -> Cell {
    match name {
        Some(name) => Cell::new(one_line(&name), NAME),
        None => Cell::new("(no name)".to_owned(), DANGER),
    }
}

fn description(text: Text<'_>) -> Cell {
    Cell::new(text.map(|text| one_line(&text)).unwrap_or_default(), PLAIN)
}

/// The arguments of a tool, required ones first, as a user would type them: `path [head] [tail]`.
fn arguments(parameters: &Parameters<'_>) -> String {
    let (required, optional): (Vec<_>, Vec<_>) =
        parameters.list.iter().partition(|parameter| parameter.required);
    let words = required
        .iter()
        .chain(&optional)
        .map(|parameter| argument(&one_line(&parameter.name), parameter.required));
    words.collect::<Vec<_>>().join(" ")
}

fn argument(name: &str, required: bool) -> String {
    if required { name.to_owned() } else { format!("[{name}]") }
}

/// What the server itself claims about a tool's effects. A missing hint is not a claim.
fn hints(tool: Tool<'_>) -> (String, Style) {
    let says = |name| tool.annotation(name).value().and_then(Json::bool) == Some(true);
    if says("readOnlyHint") {
        ("read-only".to_owned(), DIM)
    } else if says("destructiveHint") {
        ("destructive".to_owned(), DANGER)
    } else {
        (String::new(), PLAIN)
    }
}
