//! What a person reads when a call needs them, and the answers there are. What we know and what others said are kept
//! apart, and nothing of theirs can act on the screen (SCP-08).
use overt_spec::scope::Scope;
use overt_spec::word::Word;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::text::Untrusted;
use serde_json::{Value, json};

use crate::grants::{Answer, Lasts, Question};

/// Our question among those of a result in the newer era.
pub(super) const KEY: &str = "dev.overt/approval";
/// Scopes of one question that are shown.
const MOST_SHOWN: usize = 10;

/// The parameters of `elicitation/create`.
pub(super) fn form(question: &Question) -> JsonBuf {
    let has_session = !question.holder.session.is_empty();
    let mut choices = vec![(Lasts::Once.as_str(), "yes, this call")];
    if has_session {
        choices.push((Lasts::Session.as_str(), "yes, until this session ends"));
    }
    choices.push((Lasts::Always.as_str(), "yes, until I revoke it"));
    choices.push(("no", "no"));
    if has_session {
        choices.push(("never", "no, and don't ask again in this session"));
    }
    let mut properties = json!({ "decision": choice("Allow it?", &choices) });
    if !question.wider.is_empty() {
        let narrow = format!("only {}", listed(&question.scopes));
        let wide = format!("also the rest of {}", listed(&question.wider));
        properties["extent"] = choice("How far?", &[("narrow", &narrow), ("wide", &wide)]);
        properties["extent"]["default"] = json!("narrow");
    }
    let schema = json!({ "type": "object", "properties": properties, "required": ["decision"] });
    Object::new()
        .string("message", &words(question))
        .json("requestedSchema", JsonBuf::from(&schema).as_json())
        .finish()
}

/// The question in words.
pub(super) fn words(question: &Question) -> String {
    format!(
        "A tool call needs your permission.\n\nIt will: {}\n\nServer: {}\nTool: {}\nPermission: {}\nWhy you are asked: {}",
        Untrusted(&question.intent),
        Untrusted(&question.server),
        Untrusted(&question.tool),
        listed(&question.scopes),
        Untrusted(&question.reason),
    )
}

/// The answer in a result of `elicitation/create`. Whatever is not a clear yes is a no.
pub(super) fn answer(result: Json<'_>) -> Answer {
    if result.get("action").string().as_deref() != Some("accept") {
        return Answer::No;
    }
    let content = result.get("content");
    let decision = content.get("decision").string();
    let wider = content.get("extent").string().as_deref() == Some("wide");
    match decision.as_deref() {
        Some("never") => Answer::NeverThisSession,
        Some(word) => {
            Lasts::parse(word).map_or(Answer::No, |lasts| Answer::Yes { lasts, wider, expires: None })
        }
        None => Answer::No,
    }
}

/// Every client knows this form of a choice.
fn choice(title: &str, choices: &[(&str, &str)]) -> Value {
    let values: Vec<&str> = choices.iter().map(|(value, _)| *value).collect();
    let names: Vec<&str> = choices.iter().map(|(_, name)| *name).collect();
    json!({ "type": "string", "title": title, "enum": values, "enumNames": names })
}

fn listed(scopes: &[Scope]) -> String {
    let mut shown: Vec<String> =
        scopes.iter().take(MOST_SHOWN).map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    if scopes.len() > MOST_SHOWN {
        shown.push(format!("and {} more", scopes.len() - MOST_SHOWN));
    }
    shown.join(", ")
}
