//! Formats open questions: as sentences for a person, as JSON for a program. Facts that Overt knows
//! are separate from what others said, and text from others cannot control the terminal (SCP-08).
use overt_layers::grants::{
    AnswerKind, Choice, PendingQuestion, QuestionDetails, QuestionId, QuestionKind, Review,
};
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::text::Untrusted;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::grants::scopes_text;
use super::patch::patch_text;
use super::pretty::pretty;
use super::report::to_json;
use super::safe::{clip, indented, lines, one_line};
use super::style::{DIM, WARNING, paint};
use overt_operator::words::{moment, trust_command};

/// Everything that a person needs to decide. `here` is the project in the current folder.
pub(crate) fn question_text(open: &PendingQuestion, now: u64, here: Option<&str>) -> String {
    let mut out = facts_text(open, now);
    let question = &open.question;
    if question.kind == QuestionKind::Trust {
        let command = trust_command(&question.server, question.project.as_deref(), here);
        out.push_str(&labelled("answer", &command));
    }
    out.push('\n');
    out
}

/// The question in words for a person, with its server and scopes.
fn facts_text(open: &PendingQuestion, now: u64) -> String {
    let question = &open.question;
    let useful = span(question.until.saturating_sub(now));
    let waits = match (open.waiting, question.holder.has_session()) {
        _ if question.is_proposal() => format!("a proposal, which is dropped in {useful}"),
        (1.., _) => format!("the call waits {} more", span(question.waits_until().saturating_sub(now))),
        (0, true) => format!("nobody waits any more; a yes holds for the same call made again, for {useful}"),
        (0, false) => format!("asked through its client; a yes holds when that comes back, for {useful}"),
    };
    let times = format!("asked {} ago, {waits}", span(now.saturating_sub(open.asked)));
    let others = if open.waiting > 1 { format!(", {} times", open.waiting) } else { String::new() };
    let mut out = format!("{} {}\n", paint(WARNING, &open.id), paint(DIM, format!("{times}{others}")));
    for line in question.to_text(&open.id).lines() {
        out.push_str(format!("  {line}").trim_end());
        out.push('\n');
    }
    out.push_str(&labelled("server", &Untrusted(clip(&question.server)).to_string()));
    if !question.scopes.is_empty() {
        out.push_str(&labelled("needs", &scopes_text(&question.scopes)));
    }
    if !question.wider.is_empty() {
        out.push_str(&labelled("or wider", &scopes_text(&question.all_wider())));
    }
    out
}

fn labelled(label: &str, text: &str) -> String {
    format!("  {}{text}\n", paint(DIM, format!("{label:<11}")))
}

/// The question in full: all arguments, the complete diff, and the commands that answer it.
pub(crate) fn whole_question_text(
    open: &PendingQuestion,
    review: Option<&Review>,
    now: u64,
    here: Option<&str>,
) -> String {
    let diff = review.map_or("", |review| review.diff.as_str());
    let mut brief = open.clone();
    if let Some(changes) = brief.question.shown.changes.as_mut().filter(|_| !diff.is_empty()) {
        // The complete diff follows below.
        changes.diff.clear();
    }
    let mut out = facts_text(&brief, now);
    out.push('\n');
    out.push_str(&evidence_text(open, diff));
    out.push_str(&part("to answer", &answers(open, now, here)));
    out
}

fn part(title: &str, text: &str) -> String {
    format!("  {}\n{}\n\n", paint(DIM, title), indented(text, "    "))
}

/// All arguments and the complete diff.
fn evidence_text(open: &PendingQuestion, diff: &str) -> String {
    let arguments = &open.question.shown.arguments_json;
    let arguments = Json::parse(arguments).map_or_else(|_| lines(arguments), pretty);
    let mut out = part("arguments, with secrets hidden", &arguments);
    if !diff.is_empty() {
        out.push_str(&part("changes", &patch_text(diff)));
    } else if open.question.shown.changes.is_none() && open.question.kind == QuestionKind::Call {
        out.push_str(&part("changes", "There is no preview: only the server knows what this call changes."));
    }
    out
}

/// The question with its stored evidence, for a full screen: without times, command names and
/// colours.
pub(crate) fn inbox_text(open: &PendingQuestion, review: Option<&Review>) -> String {
    let diff = review.map_or("", |review| review.diff.as_str());
    let mut brief = open.clone();
    if let Some(changes) = brief.question.shown.changes.as_mut().filter(|_| !diff.is_empty()) {
        changes.diff.clear();
    }
    // The last line names a command that would show what is already here.
    let text = brief.question.to_text(&open.id);
    let text = match open.question.kind {
        QuestionKind::Call => text.rsplit_once('\n').map_or("", |(text, _)| text),
        QuestionKind::Trust => text.as_str(),
    };
    let needs = match open.question.scopes.is_empty() {
        true => String::new(),
        false => format!("\nIt needs: {}", scopes_text(&open.question.scopes)),
    };
    let evidence = anstream::adapter::strip_str(&evidence_text(open, diff)).to_string();
    format!("{text}{needs}\nServer: {}\n\n{evidence}", Untrusted(clip(&open.question.server)))
}

/// The command for each answer.
fn answers(open: &PendingQuestion, now: u64, here: Option<&str>) -> String {
    let (id, question) = (&open.id, &open.question);
    let mut answers: Vec<(String, String)> = Vec::new();
    if question.kind == QuestionKind::Trust {
        let command = trust_command(&question.server, question.project.as_deref(), here);
        for (trust, words) in question.trust_choices() {
            // The default level needs no word.
            let level = if trust == Trust::Changes { String::new() } else { format!(" {trust}") };
            answers.push((format!("{command}{level}"), words.to_owned()));
        }
        if !question.scopes.is_empty() {
            let words = "run this call; ask me again at the next".to_owned();
            answers.push((format!("overt grants allow {id}"), words));
        }
        answers.push((format!("overt grants deny {id}"), "no".to_owned()));
        if question.holder.has_session() {
            let words = "no, and don't ask again in this session".to_owned();
            answers.push((format!("overt grants deny {id} --session"), words));
        }
    }
    answers.extend(question.choices(now).iter().map(|choice| (command(id, choice), one_line(&choice.words))));
    let widest = answers.iter().map(|(command, _)| command.width()).max().unwrap_or(0);
    let pad = |command: &str| " ".repeat(widest - command.width());
    let lines = answers.iter().map(|(command, means)| format!("{command}{}   {means}", pad(command)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The command that gives this answer.
fn command(id: &QuestionId, choice: &Choice) -> String {
    let (verb, options) = match choice.kind {
        AnswerKind::Once => ("allow", ""),
        AnswerKind::Session => ("allow", " --session"),
        AnswerKind::SessionTool => ("allow", " --session --breadth tool"),
        AnswerKind::SessionServer => ("allow", " --session --breadth server"),
        AnswerKind::SessionReads => ("allow", " --session --breadth reads"),
        AnswerKind::Folder => ("allow", " --for 8h --breadth folder"),
        AnswerKind::Workday => ("allow", " --for 8h"),
        AnswerKind::Project => ("allow", " --always"),
        AnswerKind::Everywhere => ("allow", " --everywhere"),
        AnswerKind::No => ("deny", ""),
        AnswerKind::NoSession => ("deny", " --session"),
        AnswerKind::NeverProject => ("deny", " --never"),
    };
    format!("overt grants {verb} {id}{options}")
}

/// A question for programs.
#[derive(Debug, Serialize)]
pub(crate) struct QuestionData<'a> {
    id: &'a str,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    server: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    tool: &'a str,
    scopes: &'a [Scope],
    wider: &'a [Scope],
    asks: &'static str,
    reason: &'a str,
    intent: &'a str,
    arguments: &'a str,
    shown: &'a QuestionDetails,
    choices: Vec<ChoiceData>,
    asked: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_until: Option<String>,
    until: String,
    calls: u32,
    /// The diff of what the call will change; only of one question.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
    /// The path of the review page, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a str>,
}

/// A possible answer, with words for programs and for people.
#[derive(Debug, Serialize)]
struct ChoiceData {
    choice: AnswerKind,
    words: String,
}

/// The answer of `overt grants pending`.
#[derive(Debug, Serialize)]
struct QuestionsReport<'a> {
    questions: Vec<QuestionData<'a>>,
}

impl<'a> QuestionData<'a> {
    fn of(open: &'a PendingQuestion) -> Self {
        let question = &open.question;
        let choices = question.choices(open.asked).into_iter();
        Self {
            id: &open.id.0,
            principal: question.holder.principal.key(),
            client: question.shown.client.as_deref(),
            server: &question.server,
            project: question.project.as_deref(),
            tool: &question.tool,
            scopes: &question.scopes,
            wider: &question.wider,
            asks: if question.kind == QuestionKind::Trust { "trust" } else { "call" },
            reason: &question.shown.reason,
            intent: &question.shown.intent,
            arguments: &question.shown.arguments_json,
            shown: &question.shown,
            choices: choices.map(|Choice { kind, words, .. }| ChoiceData { choice: kind, words }).collect(),
            asked: moment(open.asked),
            waits_until: (open.waiting > 0).then(|| moment(question.waits_until())),
            until: moment(question.until),
            calls: open.waiting,
            diff: None,
            page: None,
        }
    }
}

/// The question with its stored evidence as JSON.
pub(crate) fn whole_question_json(
    open: &PendingQuestion,
    review: Option<&Review>,
    page: Option<&str>,
) -> JsonBuf {
    let diff = review.map(|review| review.diff.as_str());
    to_json(&QuestionData { diff, page, ..QuestionData::of(open) })
}

pub(crate) fn questions_json(open: &[PendingQuestion]) -> JsonBuf {
    to_json(&QuestionsReport { questions: open.iter().map(QuestionData::of).collect() })
}

pub(crate) fn question_json(open: &PendingQuestion) -> JsonBuf {
    to_json(&QuestionData::of(open))
}

/// A duration in words: `45 s`, `3 min`, `2 h`.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
