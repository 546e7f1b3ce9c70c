//! What a person is shown when a call needs them, the form of the dialog, and what counts as an answer.
use overt_policy::intent::argument_lines;
use overt_policy::prose::first_sentence;
use overt_policy::record::{Effect, Hints};
use overt_policy::scope::Scope;
use overt_policy::secrets::{Strings, redact};
use overt_policy::word::Word;
use overt_policy::{Decision, Trust, Verdict};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::text::Untrusted;
use overt_wire::view;
use serde_json::{Value, json};

use super::attempt::Case;
use super::records::agent;
use crate::description::{PlanSummary, ServerDescription};
use crate::grants::{Answer, Asks, Extent, Lasts, Question, QuestionId, Review, Shown, too_wide_to_last};

/// Our question among those of a result in the newer era.
pub(super) const KEY: &str = "dev.overt/approval";
/// The fields of our forms. No other form that passes Overt has fields of these names.
pub const APPROVAL_FIELDS: [&str; 3] = ["decision", "extent", "trust"];
/// The titles of these fields, in the same order.
pub const APPROVAL_TITLES: [&str; 3] = ["Allow it?", "How far?", "How far do you trust it?"];
const DECISION: &str = APPROVAL_FIELDS[0];
const EXTENT: &str = APPROVAL_FIELDS[1];
const TRUST: &str = APPROVAL_FIELDS[2];
/// Scopes of one question that are named.
const MOST_SCOPES: usize = 10;
/// Lines of a diff that a dialog shows; the rest is in the review.
const MOST_DIFF_LINES: usize = 40;
/// Characters of the arguments that are kept as JSON.
const MOST_ARGUMENTS: usize = 1 << 20;
/// A yes for a time holds so many seconds, and its word in a form.
const WORKDAY: u64 = 8 * 60 * 60;
const FOR_A_WORKDAY: &str = "8h";
/// Characters of a text of others that is one line.
const LONGEST_LINE: usize = 300;

/// Everything that a question is made of.
pub(super) struct Evidence<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) decision: &'a Decision,
    pub(super) intent: String,
    pub(super) server: &'a ServerDescription,
    /// The tools that say they only read, and the others.
    pub(super) tools: (Vec<String>, Vec<String>),
    pub(super) summary: Option<PlanSummary>,
    /// Why there is no summary although the tool has a plan.
    pub(super) failure: Option<String>,
}

/// Which answers there are to choose from, besides yes to this call and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offer {
    asks: Asks,
    session: bool,
    /// What lasts longer than the session: it is for the project.
    lasting: bool,
    wide: bool,
}

/// What is shown, and what is kept beside it for a person who wants to see all of it.
pub(super) fn shown(evidence: Evidence<'_>, asks: Asks) -> (Shown, Option<Review>) {
    let Evidence { case, decision, intent, server, tools, summary, failure } = evidence;
    let exchange = &case.call.exchange;
    let definition = view::Tool(case.known.definition.as_json());
    let annotated = definition.annotation("title").value().and_then(Json::string);
    let title = case.known.definition.as_json().get("title").string().or(annotated);
    let description = case.known.definition.as_json().get("description").string();
    let reasons = decision.said.iter().filter(|said| said.verdict == Verdict::NeedsApproval);
    let reasons: Vec<&str> = reasons.map(|said| said.why.as_str()).collect();
    let written = exchange.message.params().get("arguments").value();
    let written = written.map_or_else(|| "{}".to_owned(), |written| redact(written, Strings::Whole));
    let name = server.info.as_json().get("name").string();
    let mut shown = Shown {
        intent,
        reason: reasons.join("; "),
        client: agent(exchange),
        server: name.map_or_else(|| server.name.clone(), |name| cut(&name)),
        title: title.map(|title| cut(&title)),
        description: description.map(|text| cut(first_sentence(text.trim()))).filter(|text| !text.is_empty()),
        effect: effect(case),
        arguments: argument_lines(&case.arguments),
        arguments_json: written[..written.floor_char_boundary(MOST_ARGUMENTS)].to_owned(),
        plan_failure: failure,
        server_asks_for: case.call.server_scopes.iter().map(|scope| cut(&scope.to_string())).collect(),
        ..Shown::default()
    };
    if asks == Asks::Trust {
        (shown.reading_tools, shown.changing_tools) = tools;
    }
    let review = summary.map(|summary| {
        let PlanSummary { diff, page, .. } = &summary;
        let review = Review { diff: diff.clone(), page: page.clone() };
        // A few lines of it are shown at once.
        let excerpt = middle_cut(&summary.diff, MOST_DIFF_LINES);
        shown.changes = Some(PlanSummary { diff: excerpt, page: String::new(), ..summary });
        review
    });
    (shown, review)
}

/// What is known of the effect, and from whom.
fn effect(case: &Case<'_>) -> String {
    if case.facts.is_declared() {
        let undo = match case.facts.reversible {
            Some(true) => ", can be undone",
            Some(false) => ", can't be undone",
            None => "",
        };
        return format!("{}{undo}", declared_effect(case.facts.effect));
    }
    let said = match case.known.hints {
        Hints { read_only: Some(true), destructive: Some(true), .. } => {
            "only reads, and destructive: it contradicts itself"
        }
        Hints { destructive: Some(true), .. } => "destructive",
        Hints { read_only: Some(true), .. } => "only reads",
        Hints { read_only: Some(false), destructive: Some(false), .. } => {
            "changes something, destroys nothing"
        }
        Hints { read_only: Some(false), .. } => "changes something",
        _ => "nothing about what it does",
    };
    format!("the server says: {said}. Overt can't preview this server's changes")
}

fn declared_effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "only reads",
        Effect::Mutating => "changes something",
        Effect::External => "reaches outside this machine",
        Effect::Destructive => "destroys something",
    }
}

impl Offer {
    /// SCP-13: what needs `--dangerous` in a terminal is not one click away here. Neither is what holds everywhere, so a server
    /// without a project is offered nothing that lasts.
    pub(super) fn of(question: &Question) -> Self {
        Self {
            asks: question.asks,
            session: question.holder.has_session(),
            lasting: question.project.is_some() && too_wide_to_last(&question.scopes).is_none(),
            wide: !question.wider.is_empty() && too_wide_to_last(&question.wider).is_none(),
        }
    }
}

/// The parameters of `elicitation/create`.
pub(super) fn form(question: &Question, id: &QuestionId) -> JsonBuf {
    let offer = Offer::of(question);
    let properties = match question.asks {
        Asks::Trust => json!({ TRUST: choice(APPROVAL_TITLES[2], &trust_choices(offer)) }),
        Asks::Call => call_choices(question, offer),
    };
    let required = if question.asks == Asks::Trust { TRUST } else { DECISION };
    let schema = json!({ "type": "object", "properties": properties, "required": [required] });
    Object::new()
        .string("message", &question.to_text(id))
        .json("requestedSchema", JsonBuf::from(&schema).as_json())
        .finish()
}

fn trust_choices(offer: Offer) -> Vec<(&'static str, &'static str)> {
    let mut choices = vec![
        (Trust::Changes.as_str(), "ask me for changes only (recommended)"),
        (Trust::Everything.as_str(), "ask me for everything"),
        (Trust::Record.as_str(), "don't ask, only record"),
        ("no", "don't run this call"),
    ];
    if offer.session {
        choices.push(("never", "don't run it, and don't ask again in this session"));
    }
    choices
}

fn call_choices(question: &Question, offer: Offer) -> Value {
    let tool = cut(&question.tool);
    let session = format!("yes, and `{}` until this session ends", Untrusted(&tool));
    let workday = format!("yes, and `{}` in this project for 8 hours", Untrusted(&tool));
    let always = format!("yes, and `{}` in this project until I revoke it", Untrusted(&tool));
    let mut choices = vec![(Lasts::Once.as_str(), "yes, this call")];
    if offer.session {
        choices.push((Lasts::Session.as_str(), &session));
    }
    if offer.lasting {
        choices.push((FOR_A_WORKDAY, &workday));
        choices.push((Lasts::Always.as_str(), &always));
    }
    choices.push(("no", "no"));
    if offer.session {
        choices.push(("never", "no, and don't ask again in this session"));
    }
    let mut properties = json!({ DECISION: choice(APPROVAL_TITLES[0], &choices) });
    if offer.wide {
        let narrow = format!("only {}", listed(&question.scopes));
        let wide = format!("also the rest of {}", listed(&question.wider));
        properties[EXTENT] = choice(APPROVAL_TITLES[1], &[("narrow", &narrow), ("wide", &wide)]);
    }
    properties
}

/// The answer in a result of `elicitation/create`. Whatever is not a clear yes to what was offered is a no. `now` is in seconds
/// since 1970.
pub(super) fn answer(result: Json<'_>, offer: Offer, now: u64) -> Answer {
    if result.get("action").string().as_deref() != Some("accept") {
        return Answer::No;
    }
    let content = result.get("content");
    if offer.asks == Asks::Trust {
        return match content.get(TRUST).string().as_deref() {
            Some("never") if offer.session => Answer::NeverThisSession,
            word => word.and_then(Trust::parse).map_or(Answer::No, Answer::Trust),
        };
    }
    let decision = content.get(DECISION).string();
    let wider = content.get(EXTENT).string().as_deref() == Some("wide");
    let (lasts, expires) = match decision.as_deref() {
        Some("never") if offer.session => return Answer::NeverThisSession,
        Some(FOR_A_WORKDAY) => (Some(Lasts::Always), Some(now.saturating_add(WORKDAY))),
        word => (word.and_then(Lasts::parse), None),
    };
    let is_offered = match lasts {
        None => false,
        Some(Lasts::Once) => true,
        Some(Lasts::Session) => offer.session,
        Some(Lasts::Always) => offer.lasting,
    };
    match lasts {
        Some(lasts) if is_offered && (!wider || offer.wide) => {
            Answer::Yes { lasts, extent: Extent::Project, wider, expires }
        }
        _ => Answer::No,
    }
}

/// Every client knows this form of a choice. It has no default: an answer counts only if the person chose it.
fn choice(title: &str, choices: &[(&str, &str)]) -> Value {
    let values: Vec<&str> = choices.iter().map(|(value, _)| *value).collect();
    let names: Vec<&str> = choices.iter().map(|(_, name)| *name).collect();
    json!({ "type": "string", "title": title, "enum": values, "enumNames": names })
}

fn listed(scopes: &[Scope]) -> String {
    let mut shown: Vec<String> =
        scopes.iter().take(MOST_SCOPES).map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    if scopes.len() > MOST_SCOPES {
        shown.push(format!("and {} more", scopes.len() - MOST_SCOPES));
    }
    shown.join(", ")
}

/// The first and the last lines, and how many are missing between them.
fn middle_cut(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= most {
        return lines.into_iter().map(cut).collect::<Vec<_>>().join("\n");
    }
    let half = most / 2;
    let missing = format!("… {} more lines …", lines.len() - 2 * half);
    let head = lines[..half].iter().map(|line| cut(line));
    let tail = lines[lines.len() - half..].iter().map(|line| cut(line));
    head.chain([missing]).chain(tail).collect::<Vec<_>>().join("\n")
}

/// One line, cut in the middle.
fn cut(text: &str) -> String {
    let characters = text.chars().count();
    if characters <= LONGEST_LINE {
        return text.to_owned();
    }
    let half = LONGEST_LINE / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(characters - half).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests;
