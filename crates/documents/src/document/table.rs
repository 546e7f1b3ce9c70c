//! The documents, and how each is made.
use std::cell::LazyCell;

use serde_json::{Map, Value, json};

use super::cards;
use super::kind::{Document, Draft, Drafts, Kind, LLMS_FULL, SERVER_CARD};
use super::secret_check::publish;
use crate::ai_help::Help;
use crate::dashdash::{ResourceObject, ServerObject, ToolObject};
use crate::description::Description;
use crate::llms::Llms;
use crate::registry::{AiCatalog, Registration, ServerCard, ServerJson};
use crate::server_location::ServerLocation;
use crate::skill::ServerSkill;
use overt_policy::finding::{Finding, Findings, Severity};
use overt_policy::word::StringEnum;

/// Returns the documents of one kind. If there are none, the findings say what to declare or what
/// must not be published.
pub fn render(
    kind: Kind,
    description: &Description,
    place: &ServerLocation,
) -> Result<Vec<Document>, Findings> {
    let help = LazyCell::new(|| Help::of(description, place));
    let (drafts, findings) = draft(kind, description, place, &help);
    if drafts.is_empty() && findings.has_errors() {
        return Err(findings);
    }
    publish(kind, drafts, description, place)
}

/// Returns all documents that can be made. The findings are warnings about those that can't, each
/// with the missing fact, and errors where something must not be published.
pub fn all(description: &Description, place: &ServerLocation) -> (Vec<Document>, Findings) {
    let mut documents = Vec::new();
    let mut findings = Findings::default();
    let mut missing: Vec<((Finding, usize), Vec<&str>)> = Vec::new();
    let help = LazyCell::new(|| Help::of(description, place));
    for kind in Kind::ALL {
        let (drafts, lacks) = draft(*kind, description, place, &help);
        for (lack, count) in lacks.counted() {
            match missing.iter_mut().find(|((known, of), _)| known == lack && *of == count) {
                Some((_, kinds)) => kinds.push(kind.as_str()),
                None => missing.push(((lack.clone(), count), vec![kind.as_str()])),
            }
        }
        match publish(*kind, drafts, description, place) {
            Ok(made) => documents.extend(made),
            Err(secrets) => findings.extend(secrets),
        }
    }
    for ((lack, count), kinds) in missing {
        let problem = format!("{}, so there is no {}", lack.problem, kinds.join(", no "));
        let severity = lack.severity.min(Severity::Warning);
        findings.add_many(Finding { severity, problem, ..lack }, count);
    }
    (documents, findings)
}

/// Makes the drafts of one kind. The help is made at most once, and only if a document needs it.
fn draft<F: FnOnce() -> Help>(
    kind: Kind,
    description: &Description,
    place: &ServerLocation,
    help: &LazyCell<Help, F>,
) -> Drafts {
    let text = |path: &str, text: String| one(path, Ok(Draft::Text(text)));
    let json = |path: &str, value: Result<Value, Findings>| one(path, value.map(Draft::Json));
    match kind {
        Kind::AiHelp => text("ai-help.md", help.markdown()),
        Kind::Json => json("ai-help.json", Ok(help.json())),
        Kind::Dashdash => json("dashdash.json", Ok(dashdash(description))),
        Kind::Skill => {
            let files = ServerSkill::with(description, help).map(|skill| {
                let files = skill.files().into_iter();
                files
                    .map(|(path, text)| (format!("{}/{path}", description.name), Draft::Text(text)))
                    .collect()
            });
            files.map_or_else(|findings| (Vec::new(), findings), |files| (files, Findings::default()))
        }
        Kind::Llms => text("llms.txt", Llms::with(description, help, place).render()),
        Kind::LlmsFull => text(LLMS_FULL, help.body()),
        Kind::Card => cards::drafts(description, place),
        Kind::Registration => json("registration.json", Ok(Registration::of(description).render())),
        Kind::ServerJson => json("server.json", ServerJson::of(description).map(|record| record.render())),
        Kind::ServerCard => json(SERVER_CARD, ServerCard::of(description, place).map(|card| card.render())),
        Kind::AiCatalog => {
            json("ai-catalog.json", AiCatalog::of(description, place).map(|catalog| catalog.render()))
        }
    }
}

fn one(path: &str, draft: Result<Draft, Findings>) -> Drafts {
    match draft {
        Ok(draft) => (vec![(path.to_owned(), draft)], Findings::default()),
        Err(findings) => (Vec::new(), findings),
    }
}

/// Returns all dashdash objects in one document, under their names on the wire.
fn dashdash(description: &Description) -> Value {
    let tools = description.tools.iter().filter_map(|tool| {
        let record = tool.record.as_ref()?;
        Some((tool.live.name.clone(), json!(ToolObject::of(record, description))))
    });
    let resources = description.resources.iter().filter_map(|resource| {
        Some((resource.live.uri.clone(), json!(ResourceObject::of(resource.record.as_ref()?))))
    });
    let mut all = Map::from_iter([("server".to_owned(), json!(ServerObject::of(description)))]);
    for (name, members) in [("tools", tools.collect::<Map<_, _>>()), ("resources", resources.collect())] {
        if !members.is_empty() {
            all.insert(name.to_owned(), members.into());
        }
    }
    all.into()
}
