//! What a person sees when a call needs approval, the form of the client's dialog, and what counts
//! as an answer.
use overt_intent::argument_lines;
use overt_policy::prose::first_sentence;
use overt_policy::record::{Effect, Hints};
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum;
use overt_policy::{Decision, Trust, Verdict};
use overt_secrets::{Strings, redact};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::text::Untrusted;
use overt_wire::view;
use serde_json::{Value, json};

use super::records::agent;
use super::resolved_call::ResolvedCall;
use super::uncounted::Uncounted;
use crate::description::{PlanSummary, ServerDescription};
use crate::grants::{
    Answer, AnswerKind, Breadth, Question, QuestionDetails, QuestionId, QuestionKind, Redefinition, Review,
    too_wide_to_last,
};

/// The fields of Overt's forms. Overt lets no other form with fields of these names pass.
pub const APPROVAL_FIELDS: [&str; 3] = ["decision", "extent", "trust"];
/// The titles of these fields, in the same order.
pub const APPROVAL_TITLES: [&str; 3] = ["Allow it?", "How far?", "How far do you trust it?"];
const DECISION: &str = APPROVAL_FIELDS[0];
const EXTENT: &str = APPROVAL_FIELDS[1];
const TRUST: &str = APPROVAL_FIELDS[2];
/// The most scopes that one question names.
const MOST_SCOPES: usize = 10;
/// The most lines of a diff that a dialog shows. The review has the rest.
const MOST_DIFF_LINES: usize = 40;
/// The most bytes of the arguments that are kept as JSON.
const MOST_ARGUMENTS: usize = 1 << 20;
/// The most characters of untrusted text in one line.
const LONGEST_LINE: usize = 300;

/// The facts from which a question is built.
pub(super) struct Evidence<'a> {
    pub(super) resolved: &'a ResolvedCall<'a>,
    pub(super) decision: &'a Decision,
    pub(super) intent: String,
    pub(super) server: &'a ServerDescription,
    /// The names of the tools that claim to only read, and of the others.
    pub(super) tools: (Vec<String>, Vec<String>),
    pub(super) summary: Option<PlanSummary>,
    /// Why there is no summary, although the tool makes plans.
    pub(super) failure: Option<String>,
    /// What changed in the tool since the person decided about its server.
    pub(super) redefined: Option<Redefinition>,
}

/// The client's response to a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DialogAnswer {
    Answer(Answer),
    /// The person, or the client by itself, closed the dialog without an answer.
    Cancelled,
    /// The response lacks the field that a person must fill in, so no person was asked.
    Unasked,
}

impl DialogAnswer {
    /// Returns the answer if a person can have given it.
    pub(super) fn counted(self, is_quick: bool) -> Result<Answer, Uncounted> {
        let uncounted = match self {
            // A no counts at any speed.
            Self::Answer(answer) if !is_quick || !answer.is_yes() => return Ok(answer),
            Self::Cancelled if !is_quick => return Ok(Answer::No),
            Self::Answer(_) | Self::Cancelled => Uncounted::Quick,
            Self::Unasked => Uncounted::Unchosen,
        };
        tracing::warn!(
            is_quick,
            "a client answered a question by itself; nobody was asked, so the answer does not count"
        );
        Err(uncounted)
    }
}

/// Returns what a person sees at once, and the full review for those who want all of it.
pub(super) fn shown(evidence: Evidence<'_>, kind: QuestionKind) -> (QuestionDetails, Option<Review>) {
    let Evidence { resolved, decision, intent, server, tools, summary, failure, redefined } = evidence;
    let exchange = &resolved.call.exchange;
    let definition = view::Tool(resolved.tool.definition.as_json());
    let annotated = definition.annotation("title").value().and_then(Json::string);
    let title = resolved.tool.definition.as_json().get("title").string().or(annotated);
    let description = resolved.tool.definition.as_json().get("description").string();
    let reasons = decision.verdicts.iter().filter(|said| said.verdict == Verdict::NeedsApproval);
    let reasons: Vec<&str> = reasons.map(|said| said.why.as_str()).collect();
    let written = exchange.message.arguments().value();
    let written = written.map_or_else(|| "{}".to_owned(), |written| redact(written, Strings::Whole));
    let name = server.tools.server_name();
    let name = name.or_else(|| server.info.as_json().get("name").string().map(String::from));
    let mut shown = QuestionDetails {
        intent,
        intent_is_generic: resolved.tool.intent.is_none() && resolved.planning.is_none(),
        reason: reasons.join("; "),
        client: agent(exchange),
        server: name
            .filter(|name| !name.trim().is_empty())
            .map_or_else(|| server.name.clone(), |name| cut(&name)),
        title: title.map(|title| cut(&title)),
        description: about(description.as_deref(), resolved.server_says.as_deref()),
        effect: effect(resolved),
        arguments: argument_lines(&resolved.arguments),
        arguments_json: written[..written.floor_char_boundary(MOST_ARGUMENTS)].to_owned(),
        plan_failure: failure,
        redefined,
        server_asks_for: resolved.call.server_scopes.iter().map(|scope| cut(&scope.to_string())).collect(),
        ..QuestionDetails::default()
    };
    if kind == QuestionKind::Trust {
        (shown.reading_tools, shown.changing_tools) = tools;
    }
    let review = summary.map(|summary| {
        let PlanSummary { diff, page, .. } = &summary;
        let review = Review { diff: diff.clone(), page: page.clone() };
        // The question shows a few lines of the diff at once.
        let excerpt = middle_cut(&summary.diff, MOST_DIFF_LINES);
        shown.changes = Some(PlanSummary { diff: excerpt, page: String::new(), ..summary });
        review
    });
    (shown, review)
}

/// Returns what the server says about the tool and about this call.
fn about(description: Option<&str>, server_says: Option<&str>) -> Option<String> {
    let description = description.map(|text| cut(first_sentence(text.trim())));
    let said = server_says.map(|said| format!("About this call, {said}."));
    let texts: Vec<String> = description.filter(|text| !text.is_empty()).into_iter().chain(said).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Returns the known effect and its source.
fn effect(resolved: &ResolvedCall<'_>) -> String {
    if resolved.facts.is_declared() {
        let undo = match resolved.facts.reversible {
            Some(true) => ", can be undone",
            Some(false) => ", can't be undone",
            None => "",
        };
        return format!("{}{undo}", declared_effect(resolved.facts.effect));
    }
    let said = match resolved.tool.hints {
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

/// Returns the parameters of `elicitation/create`.
pub(super) fn form(question: &Question, id: &QuestionId) -> JsonBuf {
    let properties = match question.kind {
        QuestionKind::Trust => json!({ TRUST: choice(APPROVAL_TITLES[2], &trust_choices(question)) }),
        QuestionKind::Call => call_choices(question),
    };
    let required = if question.kind == QuestionKind::Trust { TRUST } else { DECISION };
    let schema = json!({ "type": "object", "properties": properties, "required": [required] });
    let until = match question.holder.has_session() {
        true => "An answer here holds until this session ends. For longer, confirm it once: overt watch",
        false => "An answer here holds for this call. For longer, answer there: overt watch",
    };
    let message = format!("{}\n{until}", question.to_text(id));
    Object::new()
        .string("message", &message)
        .json("requestedSchema", JsonBuf::from(&schema).as_json())
        .finish()
}

/// Returns the choices of the dialog about a server. A decision here ends with the session, so a
/// client without one can only let this call through.
fn trust_choices(question: &Question) -> Vec<(&'static str, &'static str)> {
    let mut choices = vec![(AnswerKind::Once.as_str(), "run this call; ask me again at the next")];
    if question.holder.has_session() {
        let levels = question.trust_choices();
        choices = levels.iter().map(|(trust, words)| (trust.as_str(), *words)).chain(choices).collect();
    }
    choices.push(("no", "don't run this call"));
    if question.holder.has_session() {
        choices.push((AnswerKind::NoSession.as_str(), "don't run it, and don't ask again in this session"));
    }
    choices
}

/// Returns the choices of the dialog. What reaches further than a dialog holds for the session and
/// becomes a proposal.
fn call_choices(question: &Question) -> Value {
    let choices = question.choices(0);
    let choices: Vec<(&str, String)> = choices
        .iter()
        .filter(|choice| choice.kind.is_for_dialogs(question))
        .map(|choice| (choice.kind.as_str(), Untrusted(&cut(&choice.words_in_dialog())).to_string()))
        .collect();
    let choices: Vec<(&str, &str)> = choices.iter().map(|(word, words)| (*word, words.as_str())).collect();
    let mut properties = json!({ DECISION: choice(APPROVAL_TITLES[0], &choices) });
    if offers_folder(question) {
        let narrow = format!("only {}", listed(&question.scopes));
        let wide = format!("also the rest of {}", listed(&question.wider));
        properties[EXTENT] = choice(APPROVAL_TITLES[1], &[("narrow", &narrow), ("wide", &wide)]);
    }
    properties
}

fn offers_folder(question: &Question) -> bool {
    question.has(Breadth::Folder) && too_wide_to_last(&question.wider).is_none()
}

/// Reads the answer from a result of `elicitation/create`. Anything except a clear yes to an
/// offered choice is a no. `now` is in seconds since 1970.
pub(super) fn answer(result: Json<'_>, question: &Question, now: u64) -> DialogAnswer {
    match result.get("action").string().as_deref() {
        Some("accept") => {}
        Some("decline") => return DialogAnswer::Answer(Answer::No),
        _ => return DialogAnswer::Cancelled,
    }
    let content = result.get("content");
    let required = if question.kind == QuestionKind::Trust { TRUST } else { DECISION };
    // DESIGN 5.16: the field has no default, so a client that omits it accepted without asking a
    // person.
    if content.get(required).value().is_none() {
        return DialogAnswer::Unasked;
    }
    let word = content.get(required).string();
    let Some(word) = word.as_deref() else { return DialogAnswer::Answer(Answer::No) };
    DialogAnswer::Answer(match question.kind {
        QuestionKind::Trust if word == AnswerKind::NoSession.as_str() && question.holder.has_session() => {
            Answer::NoThisSession
        }
        QuestionKind::Trust if word == AnswerKind::Once.as_str() => Answer::ONCE,
        QuestionKind::Trust => Trust::parse(word).map_or(Answer::No, Answer::Trust),
        QuestionKind::Call => {
            let is_wide = content.get(EXTENT).string().as_deref() == Some("wide");
            call_answer(word, is_wide, question, now)
        }
    })
}

fn call_answer(word: &str, is_wide: bool, question: &Question, now: u64) -> Answer {
    let choices = question.choices(now);
    let chosen =
        choices.iter().find(|choice| choice.kind.is_for_dialogs(question) && choice.kind.as_str() == word);
    match chosen.map(|choice| choice.answer) {
        // The other choices determine their breadth themselves.
        Some(Answer::Yes { lifetime, extent, breadth: Breadth::Call, expires }) if is_wide => {
            match offers_folder(question) {
                true => Answer::Yes { lifetime, extent, breadth: Breadth::Folder, expires },
                false => Answer::No,
            }
        }
        Some(answer) => answer,
        None => Answer::No,
    }
}

/// Returns a choice in a form that every client supports. It has no default, so an answer counts
/// only if the person chose it.
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

/// Returns the first and the last lines, and how many are missing between them.
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

/// Shortens one line in the middle.
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
