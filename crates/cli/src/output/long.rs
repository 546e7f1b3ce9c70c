//! Formats what a server offers in full: whole descriptions, every argument and every other member.
use std::borrow::Cow;

use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::view::{Resource, Tool};

use super::Listing;
use super::brief::{heading, section_title, skill_manifest};
use super::safe::{self, field, one_line};
use super::style::{DANGER, DIM, NAME, TITLE, paint};
use crate::arguments::Parameters;

/// A function that shows one entry.
type Show = fn(&mut String, Json<'_>, Option<usize>);

/// Formats the whole listing.
pub(crate) fn long(listing: &Listing<'_>, width: Option<usize>) -> String {
    let mut out = heading(listing);
    if let Some(instructions) = listing.server.instructions.as_deref().filter(|text| !text.trim().is_empty())
    {
        out.push_str(&format!("\n{}\n{}\n", paint(TITLE, "Instructions"), field(instructions, "  ", width)));
    }
    let lists = [
        ("Tools", &listing.tools, tool as Show),
        ("Resources", &listing.resources, resource),
        ("Resource templates", &listing.templates, resource),
        ("Prompts", &listing.prompts, prompt),
        ("Skills", &listing.skills, skill),
    ];
    for (title, list, entry) in lists {
        if let Some(list) = list {
            section(&mut out, title, list, entry, width);
        }
    }
    out
}

fn section(out: &mut String, title: &str, entries: &[JsonBuf], show: Show, width: Option<usize>) {
    section_title(out, title, entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        show(out, entry.as_json(), width);
    }
}

fn tool(out: &mut String, entry: Json<'_>, width: Option<usize>) {
    head(out, entry, Tool(entry).name().as_deref(), width);
    parameters(out, "arguments", entry.get("inputSchema"));
    parameters(out, "output", entry.get("outputSchema"));
    rest(out, entry, &["name", "title", "description", "inputSchema", "outputSchema"]);
}

fn resource(out: &mut String, entry: Json<'_>, width: Option<usize>) {
    let resource = Resource(entry);
    head(out, entry, resource.uri().or(resource.uri_template()).as_deref(), width);
    rest(out, entry, &["uri", "uriTemplate", "title", "description"]);
}

fn prompt(out: &mut String, entry: Json<'_>, width: Option<usize>) {
    head(out, entry, entry.get("name").string().as_deref(), width);
    let arguments: Vec<Json<'_>> =
        entry.get("arguments").value().into_iter().flat_map(Json::elements).collect();
    if !arguments.is_empty() {
        out.push_str(&format!("    {}\n", paint(DIM, "arguments")));
    }
    for argument in arguments {
        let required = argument.get("required").value().and_then(Json::bool) == Some(true);
        let name = argument.get("name").string().unwrap_or_default();
        line(out, &name, if required { "required" } else { "" }, argument.get("description"));
    }
    rest(out, entry, &["name", "title", "description", "arguments"]);
}

/// Every file of a skill with its size, and the front matter as the server lists it.
fn skill(out: &mut String, entry: Json<'_>, width: Option<usize>) {
    let front = entry.get("frontmatter").value();
    let name = front.and_then(|front| front.get("name").string());
    match front {
        Some(front) => head(out, front, name.as_deref(), width),
        None => head(out, entry, None, width),
    }
    rest(out, entry, &["frontmatter", "resources"]);
    match skill_manifest(entry) {
        Ok(manifest) => {
            out.push_str(&format!("    {}\n", paint(DIM, "files")));
            for file in manifest.files() {
                out.push_str(&format!(
                    "      {} {}\n",
                    one_line(&file.path),
                    paint(DIM, format!("({} bytes)", file.size))
                ));
            }
            out.push_str(&format!("    {} {}\n", paint(DIM, "set of files:"), manifest.digest()));
        }
        Err(problem) => {
            let problem = paint(DANGER, one_line(&problem));
            out.push_str(&format!("    {} {problem}\n", paint(DIM, "refused:")));
        }
    }
    if let Some(front) = front {
        rest(out, front, &["name", "description"]);
    }
}

/// Shows the name, the title and the description.
fn head(out: &mut String, entry: Json<'_>, name: Option<&str>, width: Option<usize>) {
    let name = name.map_or_else(|| "(no name)".to_owned(), one_line);
    out.push_str(&format!("  {}", paint(NAME, &name)));
    if let Some(title) = entry.get("title").string().filter(|title| *title != name) {
        out.push_str(&format!("  {}", paint(TITLE, one_line(&title))));
    }
    out.push('\n');
    if let Some(description) = entry.get("description").string().filter(|text| !text.trim().is_empty()) {
        out.push_str(&field(&description, "    ", width));
        out.push('\n');
    }
}

fn parameters(out: &mut String, title: &str, schema: Member<'_>) {
    let parameters = Parameters::of(schema);
    if parameters.list.is_empty() && !parameters.open {
        return;
    }
    out.push_str(&format!("    {}\n", paint(DIM, title)));
    for parameter in &parameters.list {
        let mut facts = vec![one_line(&parameter.accepts.label())];
        if parameter.required {
            facts.push("required".to_owned());
        }
        if let Some(choices) = parameter.accepts.choice_words() {
            facts.push(format!("one of {}", one_line(&choices.join(" "))));
        }
        if let Some(default) = parameter.schema.get("default").value() {
            facts.push(format!("default {}", one_line(&safe::json(default))));
        }
        line(out, &parameter.name, &facts.join(", "), parameter.schema.get("description"));
    }
    if parameters.open {
        out.push_str("      … and others\n");
    }
}

fn line(out: &mut String, name: &str, facts: &str, description: Member<'_>) {
    out.push_str(&format!("      {}", one_line(name)));
    if !facts.is_empty() {
        out.push_str(&paint(DIM, format!(" ({facts})")));
    }
    if let Some(description) = description.string() {
        out.push_str(&format!("  {}", one_line(&description)));
    }
    out.push('\n');
}

/// Shows every member that was not shown yet.
fn rest(out: &mut String, entry: Json<'_>, shown: &[&str]) {
    for (key, value) in entry.members().filter(|(key, _)| !shown.iter().any(|name| key.is(name))) {
        let text = value.string().map_or_else(|| safe::json(value), Cow::into_owned);
        out.push_str(&format!(
            "    {} {}\n",
            paint(DIM, format!("{}:", one_line(&key.name()))),
            one_line(&text)
        ));
    }
}
