//! Grants and open questions: as tables and sentences for a person, as JSON for a program. What we know and what others said
//! stand apart, and nothing of theirs can act on the terminal (SCP-08).
use std::time::{Duration, UNIX_EPOCH};

use overt_layers::grants::{Grant, Lasts, Open};
use overt_policy::scope::Scope;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::stamp::stamp;
use overt_wire::text::Untrusted;

use super::safe::{clip, field, one_line};
use super::style::{DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};

/// The end of the year 9999.
const LATEST: u64 = 253_402_300_799;

pub(crate) fn grants_text(grants: &[Grant], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["ID", "SERVER", "TOOL", "HOLDS", "SINCE", "SCOPES"]);
    for grant in grants {
        let terms = &grant.terms;
        let name = |text: &str| Untrusted(clip(text)).to_string();
        table.row(vec![
            Cell::new(grant.id.to_string(), TITLE),
            Cell::new(name(&terms.server), PLAIN),
            Cell::new(name(&terms.tool), NAME),
            Cell::new(lasting(terms.lasts, terms.expires), PLAIN),
            Cell::new(minute(grant.given), DIM),
            Cell::new(scopes_text(&terms.scopes), PLAIN),
        ]);
    }
    table.render(width)
}

pub(crate) fn grants_json(grants: &[Grant]) -> JsonBuf {
    let grants = grants.iter().fold(Array::new(), |array, grant| array.json(grant_json(grant).as_json()));
    Object::new().json("grants", grants.finish().as_json()).finish()
}

pub(crate) fn grant_json(grant: &Grant) -> JsonBuf {
    let terms = &grant.terms;
    Object::new()
        .string("id", &grant.id.0)
        .string("principal", &grant.holder.principal)
        .string("server", &terms.server)
        .string("tool", &terms.tool)
        .value("scopes", &scope_words(&terms.scopes))
        .string("lasts", &terms.lasts.to_string())
        .string("given", &moment(grant.given))
        .maybe("expires", terms.expires.map(moment))
        .finish()
}

/// `until it is revoked, but not after 2026-07-28 09:05`.
pub(crate) fn lasting(lasts: Lasts, expires: Option<u64>) -> String {
    let words = match lasts {
        Lasts::Once => "for one call",
        Lasts::Session => "for the session",
        Lasts::Always => "until revoked",
    };
    match expires {
        Some(end) => format!("{words}, at most until {}", minute(end)),
        None => words.to_owned(),
    }
}

/// What a person needs to decide, with what others wrote below what we know.
pub(crate) fn question_text(open: &Open, now: u64, width: Option<usize>) -> String {
    let question = &open.question;
    let useful = span(question.until.saturating_sub(now));
    let waits = match (open.waiting, question.holder.has_session()) {
        (1.., _) => format!("the call waits {} more", span(question.waits_until().saturating_sub(now))),
        (0, true) => format!("nobody waits any more; a yes holds for the same call made again, for {useful}"),
        (0, false) => format!("asked through its client; a yes holds when that comes back, for {useful}"),
    };
    let times = format!("asked {} ago, {waits}", span(now.saturating_sub(open.asked)));
    let others = if open.waiting > 1 { format!(", {} times", open.waiting) } else { String::new() };
    let mut out = format!("{} {}\n", paint(WARNING, &open.id), paint(DIM, format!("{times}{others}")));
    let name = |text: &str| Untrusted(clip(text)).to_string();
    let mut line = |label: &str, text: &str| {
        let label = if text.is_empty() { label.to_owned() } else { format!("{label:<11}") };
        out.push_str(&format!("  {}{text}\n", paint(DIM, label)));
    };
    line("server", &name(&question.server));
    line("tool", &name(&question.tool));
    line("needs", &scopes_text(&question.scopes));
    if !question.wider.is_empty() {
        line("or wider", &scopes_text(&question.all_wider()));
    }
    line("because", &one_line(&question.reason));
    line("intent", &one_line(&question.intent));
    line("arguments", "");
    out.push_str(&field(&question.shown_arguments, "    ", width));
    out.push_str("\n\n");
    out
}

pub(crate) fn questions_json(open: &[Open]) -> JsonBuf {
    let questions = open.iter().fold(Array::new(), |array, one| array.json(question_json(one).as_json()));
    Object::new().json("questions", questions.finish().as_json()).finish()
}

pub(crate) fn question_json(open: &Open) -> JsonBuf {
    let question = &open.question;
    Object::new()
        .string("id", &open.id.0)
        .string("principal", &question.holder.principal)
        .string("server", &question.server)
        .string("tool", &question.tool)
        .value("scopes", &scope_words(&question.scopes))
        .value("wider", &scope_words(&question.wider))
        .string("reason", &question.reason)
        .string("intent", &question.intent)
        .string("arguments", &question.shown_arguments)
        .string("asked", &moment(open.asked))
        .maybe("waits_until", (open.waiting > 0).then(|| moment(question.waits_until())))
        .string("until", &moment(question.until))
        .value("calls", &open.waiting)
        .finish()
}

fn scope_words(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

fn scopes_text(scopes: &[Scope]) -> String {
    Untrusted(clip(&scope_words(scopes).join(", "))).to_string()
}

/// `45 s`, `3 min`, `2 h`.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}

fn moment(seconds: u64) -> String {
    // A time that no clock has is shown as the end of time.
    stamp(UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(LATEST))).unwrap_or(UNIX_EPOCH))
}

/// `2026-07-28 09:05`, in UTC.
fn minute(seconds: u64) -> String {
    moment(seconds)[..16].replace('T', " ")
}
