//! Writes a first manifest for a server from what it says about itself. Every guess is marked with
//! a comment that gives its basis, and in the table's `guessed` list, so that no document uses it
//! before a person has confirmed it. A server's claims about its harmlessness count as guesses.
//! Nothing is guessed about personal data and secrets.
mod server_name; // the nearest name that every document accepts

use std::collections::HashSet;

use serde_json::json;

use super::fields::{self, Fields};
use super::guess::{self, leading_verb, words};
use super::toml::Toml;
use super::write::quote;
use crate::description::Description;
use crate::live::{Live, LiveTool};
use overt_policy::finding::{Finding, Pointer, Severity};
use overt_policy::record::{Declaration, Effect, PiiExposure, SecretsExposure, ServerRecord, ToolRecord};
use overt_policy::word::StringEnum;
use server_name::{is_name, name_of};

/// Writes the manifest. The server's own declaration `said` is taken over as far as it fits the
/// server. Pass an empty declaration if the server declares nothing.
pub fn init(live: &Live, said: &Declaration) -> String {
    let mut toml = Toml::default();
    toml.comment(HEAD);
    toml.blank();
    let (said, wrong) = fitting(said, live);
    server(&mut toml, live, &said.server, &wrong);
    let mut written = HashSet::new();
    // A server may list a tool twice, but a manifest with two tables for it could not be read.
    for tool in live.tools.iter().filter(|tool| written.insert(tool.name.as_str())) {
        toml.blank();
        self::tool(&mut toml, tool, said.tools.get(&tool.name), &wrong);
    }
    for resource in &live.resources {
        let Some(record) = said.resources.get(&resource.uri) else { continue };
        toml.blank();
        toml.comment(SAID);
        toml.table(&["resources", &resource.uri]);
        toml.fields(&fields::resource(record));
    }
    if let Some(resource) = live.resources.iter().find(|resource| !said.resources.contains_key(&resource.uri))
    {
        toml.blank();
        toml.comment("A table for each resource, or resource template, that has more to say, such as:");
        toml.comment(&format!("[resources.{}]", quote(&resource.uri)));
        toml.offer("resource_type", "\"document\"", "what kind of thing it is");
        toml.offer("refreshable", "true", "whether its content changes");
        toml.offer("cache_duration", "60", "for how many seconds it may be kept");
    }
    toml.finish()
}

const HEAD: &str = "\
This manifest declares what the server is and what its tools do. `overt describe` makes every document from it and from
the running server. `overt describe --init` wrote this first version. The fields that a `guessed` list names are guesses,
or claims of the server, and are in no document until you confirm them: check the value, correct it, and remove its name
from the list. Lines that are commented out are optional.";

const SAID: &str = "As the server declares it.";

/// Fields by which a server may claim to be harmless. A person has to confirm them.
const CLAIMS: [&str; 11] = [
    "access_level",
    "effect",
    "operation",
    "open_world",
    "idempotent",
    "idempotent_with_key",
    "reversible",
    "reverse_method",
    "pii_exposure",
    "secrets_exposure",
    "refusal_modes",
];

/// Returns the part of the declaration that fits the server, and what is wrong with the rest.
fn fitting(said: &Declaration, live: &Live) -> (Declaration, Vec<Finding>) {
    let (description, findings) = Description::join(said, live.clone());
    let server = &said.server;
    let is_declared = |finding: &Finding| match finding.at.as_str() {
        "/server/name" => server.name.is_some(),
        "/server/description" => !server.description.is_empty(),
        _ => true,
    };
    let wrong = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    (description.declaration(), wrong.filter(is_declared).collect())
}

fn server(toml: &mut Toml, live: &Live, said: &ServerRecord, wrong: &[Finding]) {
    let mut fields = fields::server(said);
    let is_described = says_when(&said.description);
    fields.retain(|(name, value)| value.is_some() && (*name != "description" || is_described));
    toml.table(&["server"]);
    let mut guessed = taken_over(toml, &fields, None);
    not_taken_over(toml, wrong, &Pointer::root().join("server"));
    let requests = requests(&live.tools);
    if said.name.is_none() && !is_name(&live.info.name) {
        let why = format!("guessed from `{}`, which is not a canonical name", short(&live.info.name));
        toml.comment("Lower case letters, digits and hyphens.");
        toml.field("name", &json!(name_of(&live.info.name)), &why);
        guessed.push("name");
    }
    if !is_described {
        toml.comment("What it does and when to use it, with a phrase such as \"Use when\".");
        match description(live, &said.description, &requests) {
            Some((text, Source::Server)) => toml.field("description", &json!(text), "as the server says"),
            Some((text, Source::Guess)) => {
                let reason = "guessed from its name, its description and its tools";
                toml.field("description", &json!(text), reason);
                guessed.push("description");
            }
            None => toml.offer("description", "\"… Use when the user asks to …\"", "required"),
        }
    }
    if said.when_to_use.is_empty() && !requests.is_empty() {
        toml.comment("Each completes: use this server when the user asks to …");
        toml.field("when_to_use", &json!(requests), "guessed from the tools' descriptions and names");
        guessed.push("when_to_use");
    }
    offers(toml, &fields, &SERVER_OFFERS);
    if !guessed.is_empty() {
        toml.field("guessed", &json!(guessed), "");
    }
}

fn tool(toml: &mut Toml, tool: &LiveTool, said: Option<&ToolRecord>, wrong: &[Finding]) {
    let nothing = ToolRecord::default();
    let record = said.unwrap_or(&nothing);
    let mut fields = fields::tool(record);
    fields.retain(|(_, value)| value.is_some());
    let guess = guess::effect(tool);
    if let Some(text) = tool.description.as_deref().or(tool.title.as_deref()) {
        toml.comment(&short(text));
    }
    toml.table(&["tools", &tool.name]);
    let worse = guess.as_ref().filter(|guess| record.effect.is_some_and(|effect| guess.effect > effect));
    let doubt = worse.map(|guess| format!("but it may be `{}`, {}", guess.effect, guess.reason));
    let mut guessed = taken_over(toml, &fields, doubt.as_deref());
    not_taken_over(toml, wrong, &Pointer::root().join("tools").join(&tool.name));
    let mut effect = record.effect;
    if effect.is_none() {
        match guess {
            Some(guess) => {
                toml.field("effect", &json!(guess.effect), &guess.reason);
                guessed.push("effect");
                effect = Some(guess.effect);
            }
            None => toml.offer("effect", "\"read\"", "or `mutating`, `external`, `destructive`"),
        }
    }
    // Fields that follow from the effect, or contradict it, are not repeated.
    let (reads, reaches_out) = (effect == Some(Effect::Read), effect == Some(Effect::External));
    let hints = [
        ("idempotent", record.idempotent, tool.hints.idempotent.filter(|_| !reads), "idempotentHint"),
        ("open_world", record.open_world, tool.hints.open_world.filter(|_| !reaches_out), "openWorldHint"),
    ];
    for (name, declared, hint, hint_name) in hints {
        if let (None, Some(flag)) = (declared, hint) {
            toml.field(name, &json!(flag), &format!("claimed by its hint `{hint_name}`"));
            guessed.push(name);
        }
    }
    offers(toml, &fields, &TOOL_OFFERS);
    if record.pii_exposure.is_none() {
        choice::<PiiExposure>(toml, "pii_exposure");
    }
    if record.secrets_exposure.is_none() {
        choice::<SecretsExposure>(toml, "secrets_exposure");
    }
    if !guessed.is_empty() {
        toml.field("guessed", &json!(guessed), "");
    }
}

/// Writes the fields that the server declares, with `doubt` as the comment on the effect. Returns
/// the names of those that are claims and so count as guesses.
fn taken_over(toml: &mut Toml, fields: &Fields, doubt: Option<&str>) -> Vec<&'static str> {
    if fields.is_empty() {
        return Vec::new();
    }
    toml.comment(SAID);
    for (name, value) in fields {
        let why = doubt.filter(|_| *name == "effect").unwrap_or_default();
        value.iter().for_each(|value| toml.field(name, value, why));
    }
    toml.comment("Not declared by the server:");
    fields.iter().map(|(name, _)| *name).filter(|name| CLAIMS.contains(name)).collect()
}

/// Names the fields of this table that the server declares wrongly. Leaves out their values, which
/// may be anything.
fn not_taken_over(toml: &mut Toml, wrong: &[Finding], table: &Pointer) {
    for finding in wrong {
        if let Some(field) = finding.at.as_str().strip_prefix(&format!("{}/", table.as_str())) {
            toml.comment(&short(&format!("Not taken over from the server: `{field}` {}", finding.problem)));
        }
    }
}

/// Fields that can't be guessed, each with an example and a remark.
const SERVER_OFFERS: [(&str, &str, &str); 6] = [
    ("not_for", "[\"editing images (use an image server)\"]", "what it is not for, and what is better"),
    ("repository", "\"https://example.com/someone/server\"", ""),
    ("install", "{ npm = \"@someone/server\" }", "or `pip`, `docker`, `cargo`, `brew`"),
    ("license", "\"MIT\"", ""),
    ("categories", "[\"files\"]", ""),
    ("registry_name", "\"io.github.someone/server\"", "for server.json"),
];

const TOOL_OFFERS: [(&str, &str, &str); 3] = [
    ("category", "\"files\"", ""),
    ("reversible", "false", "with `reverse_method` if another tool undoes it"),
    ("refusal_modes", "[]", "when it refuses by design; empty: it never does"),
];

fn offers(toml: &mut Toml, there: &Fields, offers: &[(&str, &str, &str)]) {
    for (name, value, rest) in
        offers.iter().filter(|(name, ..)| !there.iter().any(|(there, _)| there == name))
    {
        toml.offer(name, value, rest);
    }
}

/// Offers the valid values of a field that is never guessed.
fn choice<W: StringEnum>(toml: &mut Toml, name: &str) {
    let values: Vec<String> = W::ALL.iter().map(|word| format!("\"{}\"", word.as_str())).collect();
    toml.offer(name, &values.join(" | "), "");
}

/// The origin of a description.
enum Source {
    Server,
    Guess,
}

/// Returns what the server is and when to use it, or `None` if nothing says when.
fn description(live: &Live, said: &str, requests: &[String]) -> Option<(String, Source)> {
    const MOST: usize = 3;
    let info = &live.info;
    let own = [Some(said), info.description.as_deref()].into_iter().flatten().map(str::trim);
    let own = own.into_iter().find(|text| !text.is_empty());
    if let Some(text) = own.filter(|text| says_when(text)) {
        return Some((text.to_owned(), Source::Server));
    }
    let title = info.title.as_deref().unwrap_or(&info.name);
    let what = own.map_or_else(|| format!("{title}, an MCP server"), str::to_owned);
    let what = what.trim_end_matches('.');
    let first = &requests[..requests.len().min(MOST)];
    let text = match first {
        [] => {
            let name = |tool: &LiveTool| tool.title.clone().unwrap_or_else(|| words(&tool.name).join(" "));
            let names: Vec<String> = live.tools.iter().take(MOST).map(name).collect();
            if names.is_empty() {
                return None;
            }
            format!("{what}. Use for {}.", names.join(", "))
        }
        some => format!("{what}. Use when the user asks to {}.", some.join(", to ")),
    };
    Some((text, Source::Guess))
}

/// Returns whether a text says when to use what it describes (D-04).
fn says_when(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    words.windows(2).any(|pair| pair[0] == "use" && matches!(pair[1], "this" | "when" | "for"))
}

/// Returns what users may ask for: what the first tools do, if their descriptions or names begin
/// with a verb.
fn requests(tools: &[LiveTool]) -> Vec<String> {
    const MOST: usize = 8;
    let of = |tool: &LiveTool| {
        let sentence = tool.description.as_deref().and_then(|text| text.trim().lines().next());
        let sentence = sentence.map(|line| line.split(". ").next().unwrap_or(line).trim_end_matches('.'));
        sentence.and_then(request).or_else(|| request(&words(&tool.name).join(" ")))
    };
    let mut requests: Vec<String> = Vec::new();
    for request in tools.iter().filter_map(of) {
        if requests.len() < MOST && !requests.contains(&request) {
            requests.push(request);
        }
    }
    requests
}

/// Turns a sentence such as "Reads a file" or "Use to read a file" into a request: "read a file".
fn request(sentence: &str) -> Option<String> {
    const LONGEST: usize = 100;
    let (verb, rest) = leading_verb(sentence)?;
    let request = format!("{verb} {rest}");
    Some(request.trim().to_owned()).filter(|request| request.chars().count() <= LONGEST)
}

/// Returns the first line, shortened if necessary.
fn short(text: &str) -> String {
    const MOST: usize = 110;
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
