//! What a person reads when a call needs them, and the answers there are. What we know and what others said are kept
//! apart, and nothing of theirs can act on the screen (SCP-08).
use overt_policy::ToolFacts;
use overt_policy::scope::Scope;
use overt_policy::word::Word;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::text::Untrusted;
use serde_json::{Value, json};

use crate::grants::{Answer, Lasts, Question, too_wide_to_last};

/// Our question among those of a result in the newer era.
pub(super) const KEY: &str = "dev.overt/approval";
/// Scopes of one question that are shown.
const MOST_SHOWN: usize = 10;
/// Characters of the arguments that are shown.
const MOST_OF_ARGUMENTS: usize = 1_000;

/// Which answers there are to choose from, besides yes to this call and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offer {
    session: bool,
    always: bool,
    wide: bool,
}

impl Offer {
    /// SCP-13: what needs `--dangerous` in a terminal is not one click away here.
    pub(super) fn of(question: &Question) -> Self {
        Self {
            session: question.holder.has_session(),
            always: too_wide_to_last(&question.scopes).is_none(),
            wide: !question.wider.is_empty() && too_wide_to_last(&question.wider).is_none(),
        }
    }
}

/// The parameters of `elicitation/create`.
pub(super) fn form(question: &Question, facts: &ToolFacts) -> JsonBuf {
    let offer = Offer::of(question);
    let mut choices = vec![(Lasts::Once.as_str(), "yes, this call")];
    if offer.session {
        choices.push((Lasts::Session.as_str(), "yes, until this session ends"));
    }
    if offer.always {
        choices.push((Lasts::Always.as_str(), "yes, until I revoke it"));
    }
    choices.push(("no", "no"));
    if offer.session {
        choices.push(("never", "no, and don't ask again in this session"));
    }
    let mut properties = json!({ "decision": choice("Allow it?", &choices) });
    if offer.wide {
        let narrow = format!("only {}", listed(&question.scopes));
        let wide = format!("also the rest of {}", listed(&question.wider));
        properties["extent"] = choice("How far?", &[("narrow", &narrow), ("wide", &wide)]);
        properties["extent"]["default"] = json!("narrow");
    }
    let schema = json!({ "type": "object", "properties": properties, "required": ["decision"] });
    Object::new()
        .string("message", &words(question, facts))
        .json("requestedSchema", JsonBuf::from(&schema).as_json())
        .finish()
}

/// The question in words.
fn words(question: &Question, facts: &ToolFacts) -> String {
    let arguments = &question.shown_arguments;
    let shown = match arguments.char_indices().nth(MOST_OF_ARGUMENTS) {
        Some((at, _)) => format!("{} … (there is more)", Untrusted(&arguments[..at])),
        None => Untrusted(arguments).to_string(),
    };
    let effect = if facts.declared { facts.effect.as_str() } else { "not declared" };
    format!(
        "A tool call needs your permission.\n\nIt will: {}\n\nServer: {}\nTool: {}\nEffect: {effect}\nPermission: {}\nWhy you \
         are asked: {}\nArguments: {shown}",
        Untrusted(&question.intent),
        Untrusted(&question.server),
        Untrusted(&question.tool),
        listed(&question.scopes),
        Untrusted(&question.reason),
    )
}

/// The answer in a result of `elicitation/create`. Whatever is not a clear yes to what was offered is a no.
pub(super) fn answer(result: Json<'_>, offer: Offer) -> Answer {
    if result.get("action").string().as_deref() != Some("accept") {
        return Answer::No;
    }
    let content = result.get("content");
    let decision = content.get("decision").string();
    let wider = content.get("extent").string().as_deref() == Some("wide");
    let lasts = match decision.as_deref() {
        Some("never") if offer.session => return Answer::NeverThisSession,
        word => word.and_then(Lasts::parse),
    };
    let is_offered = match lasts {
        None => false,
        Some(Lasts::Once) => true,
        Some(Lasts::Session) => offer.session,
        Some(Lasts::Always) => offer.always,
    };
    match lasts {
        Some(lasts) if is_offered && (!wider || offer.wide) => Answer::Yes { lasts, wider, expires: None },
        _ => Answer::No,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::{Holder, LOCAL};

    fn question(session: &str, scopes: &[&str], wider: &[&str]) -> Question {
        let parsed = |texts: &[&str]| texts.iter().map(|text| Scope::parse(text).unwrap()).collect();
        Question {
            holder: Holder { principal: LOCAL.to_owned(), session: session.to_owned() },
            server: "files".to_owned(),
            tool: "write".to_owned(),
            intent: String::new(),
            reason: String::new(),
            scopes: parsed(scopes),
            wider: parsed(wider),
            arguments: String::new(),
            shown_arguments: String::new(),
            until: 0,
        }
    }

    #[test]
    fn scp_13_only_what_was_offered_is_an_answer() {
        let (file, folder) = ("write:file:/a/b", "write:file:/a");
        // (session, scopes, wider, answers that are a yes)
        let cases: [(&str, &str, &[&str], &[&str]); 5] = [
            (
                "s",
                file,
                &[folder],
                &["once", "session", "always", "once wide", "session wide", "always wide"],
            ),
            ("s", file, &["write:file"], &["once", "session", "always"]),
            ("s", "write:file", &[], &["once", "session"]),
            ("", file, &[folder], &["once", "always", "once wide", "always wide"]),
            ("request x", "write", &[], &["once"]),
        ];
        for (session, scope, wider, yes) in cases {
            let question = question(session, &[scope], wider);
            for lasts in ["once", "session", "always"] {
                for extent in ["", " wide"] {
                    let said = format!("{lasts}{extent}");
                    let content = json!({ "decision": lasts, "extent": extent.trim() });
                    let result = JsonBuf::from(&json!({ "action": "accept", "content": content }));
                    let answer = answer(result.as_json(), Offer::of(&question));
                    assert_eq!(answer.is_yes(), yes.contains(&said.as_str()), "{scope} {wider:?} {said}");
                }
            }
        }
    }
}
