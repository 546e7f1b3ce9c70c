//! Checks who can answer questions, and which settings answer them without a person.
use std::path::Path;

use overt_clients::files::{Document, Node};
use overt_clients::{ClientFacts, FACTS_FROM, KnownFact, Servers, Syntax};
use overt_state::grants::SqliteStore;

use crate::output::{Health, Line, Section};
use crate::settings::{DoctorSettings, read_text};

pub(super) fn check(settings: &DoctorSettings) -> Section {
    let mut section = Section::new("Approvals", None);
    let store = SqliteStore::open_if_there(settings.state.path()).ok().flatten();
    let is_watched = store.and_then(|store| store.has_listener().ok()).unwrap_or(false);
    let mut named: Vec<&str> = Vec::new();
    for client in settings.files.iter().flat_map(|file| &file.clients) {
        if !named.contains(&client.word) {
            named.push(client.word);
            section.lines.push(answerer(client, is_watched));
        }
    }
    if is_watched {
        section.lines.push(Line::new("watch", Health::Ok, "somebody is watching for questions".to_owned()));
    }
    section.lines.extend(automatic(settings));
    section
}

fn answerer(client: &ClientFacts, is_watched: bool) -> Line {
    let (health, text) = match (client.elicitation, is_watched) {
        (KnownFact::Yes, _) => (Health::Ok, "can ask you itself"),
        (KnownFact::No, true) => (Health::Ok, "can't ask you itself, and somebody is watching"),
        (KnownFact::Unknown, true) => (Health::Ok, "may not ask you itself, and somebody is watching"),
        (KnownFact::No, false) => (Health::Note, "can't ask you itself, and nobody is watching"),
        (KnownFact::Unknown, false) => (Health::Note, "may not ask you itself, and nobody is watching"),
    };
    let line =
        Line::new(client.name, health, format!("{text} (from {}, {FACTS_FROM})", client.grade.words()));
    match health {
        Health::Ok => line,
        Health::Note | Health::Wrong => line.with_advice("keep `overt watch` or `overt ui` open".to_owned()),
    }
}

/// Finds settings of clients that answer questions without a person.
fn automatic(settings: &DoctorSettings) -> Vec<Line> {
    let mut lines = Vec::new();
    let folders = [settings.home.as_deref(), settings.project.as_deref()];
    for folder in folders.into_iter().flatten() {
        for name in [".claude/settings.json", ".claude/settings.local.json"] {
            let path = folder.join(name);
            let Some(root) = read(&path, Syntax::Json) else { continue };
            for hook in ["Elicitation", "ElicitationResult"] {
                if root.root().get("hooks").and_then(|hooks| hooks.get(hook)).is_some() {
                    let text =
                        format!("a hook `{hook}` in {} can answer questions without you", path.display());
                    let line = Line::new("Claude Code", Health::Wrong, text);
                    lines
                        .push(line.with_advice("remove the hook, or forbid what must not happen".to_owned()));
                }
            }
        }
        let path = folder.join(".codex/config.toml");
        let policy = read(&path, Syntax::Toml);
        let policy =
            policy.as_ref().and_then(|file| file.root().get("approval_policy").and_then(Node::string));
        if policy == Some("never") {
            let text =
                format!("`approval_policy = \"never\"` in {} answers questions without you", path.display());
            let line = Line::new("Codex", Health::Wrong, text);
            lines.push(line.with_advice("choose another approval policy".to_owned()));
        }
    }
    lines.dedup_by(|one, other| one.text == other.text);
    lines
}

fn read(path: &Path, syntax: Syntax) -> Option<Document> {
    let text = path.is_file().then(|| read_text(path).ok()).flatten()?;
    Document::parse(text, syntax, Servers::Anywhere).ok()
}
