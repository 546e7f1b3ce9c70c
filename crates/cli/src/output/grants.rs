//! Formats grants: as a table and as sentences for a person, and as JSON for a program. Text from
//! others cannot control the terminal (SCP-08).
use std::time::{Duration, UNIX_EPOCH};

use overt_layers::grants::{
    Answer, Grant, GrantLifetime, GrantVerdict, GrantedTools, QuestionId, Terms, every_scope,
};
use overt_policy::scope::Scope;
use overt_wire::json::JsonBuf;
use overt_wire::rfc3339::format_millis;
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::fold::hanging;
use super::report::to_json;
use super::safe::{clip, one_line};
use super::style::{DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};
use super::trust::trust_words;

/// Spaces before the first line of a paragraph.
const INDENT: usize = 2;
/// The end of the year 9999, as seconds since 1970.
const LATEST: u64 = 253_402_300_799;

/// A table, or a paragraph for each grant if the table would be cut.
pub(crate) fn grants_text(grants: &[Grant], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["ID", "SERVER", "TOOL", "HOLDS", "PROJECT", "CLIENT", "SINCE", "SCOPES"]);
    for grant in grants {
        let terms = &grant.terms;
        let name = |text: &str| Untrusted(clip(text)).to_string();
        table.row(vec![
            Cell::new(grant.id.to_string(), TITLE),
            Cell::new(name(&terms.server), PLAIN),
            Cell::new(name(&terms.tools.to_string()), NAME),
            match terms.verdict {
                GrantVerdict::Allow => Cell::new(holds(terms), PLAIN),
                GrantVerdict::Refuse => Cell::new("refused until revoked".to_owned(), WARNING),
            },
            Cell::new(project_cell(terms), PLAIN),
            Cell::new(terms.client.as_deref().map_or_else(|| "-".to_owned(), one_line), PLAIN),
            Cell::new(minute(grant.issued_at), DIM),
            Cell::new(
                match terms.scopes == every_scope() {
                    true => "whatever it needs".to_owned(),
                    false => scopes_text(&terms.scopes),
                },
                PLAIN,
            ),
        ]);
    }
    match table.is_cut(width) {
        true => grants.iter().map(|grant| paragraph(grant, width)).collect(),
        false => table.render(width),
    }
}

/// A grant in full: what it covers and, below that, its terms.
fn paragraph(grant: &Grant, width: Option<usize>) -> String {
    let terms = &grant.terms;
    let name = |text: &str| Untrusted(clip(text)).to_string();
    let what = format!("{}: {} of {}", grant.id, name(&terms.tools.to_string()), name(&terms.server));
    let scopes = match terms.scopes == every_scope() {
        true => "whatever it needs".to_owned(),
        false => scopes_text(&terms.scopes),
    };
    let place = match (&terms.project, terms.lifetime) {
        (None, GrantLifetime::Session | GrantLifetime::Once) => None,
        (project, _) => Some(extent_words(project.as_deref())),
    };
    let (verdict, style) = match terms.verdict {
        GrantVerdict::Allow => (format!("allowed {}", holds(terms)), PLAIN),
        GrantVerdict::Refuse => ("refused until revoked".to_owned(), WARNING),
    };
    let client = terms.client.as_deref().map(|client| format!("for {}", one_line(client)));
    let since = Some(format!("since {}", minute(grant.issued_at)));
    let facts: Vec<String> = [Some(verdict), place, client, since].into_iter().flatten().collect();
    let first = hanging(&what, (INDENT, INDENT + 2), width);
    let rest = hanging(&format!("{}: {scopes}", facts.join(", ")), (INDENT + 2, INDENT + 2), width);
    format!("{}\n{}\n", paint(TITLE, first.trim_end()), paint(style, rest.trim_end()))
}

/// How long a grant holds, in a few words.
fn holds(terms: &Terms) -> String {
    match (terms.lifetime, terms.expires) {
        (GrantLifetime::Always, Some(end)) => format!("until {}", minute(end)),
        (lifetime, expires) => lasting(lifetime, expires),
    }
}

/// Where a grant holds. A lasting grant without a project holds everywhere; a grant for a session
/// or a call is bound to that.
fn project_cell(terms: &Terms) -> String {
    match (&terms.project, terms.lifetime) {
        (Some(project), _) => one_line(project),
        (None, GrantLifetime::Always) => "everywhere".to_owned(),
        (None, GrantLifetime::Session | GrantLifetime::Once) => "none".to_owned(),
    }
}

/// The answer of `overt grants list`.
#[derive(Debug, Serialize)]
struct GrantsReport<'a> {
    grants: Vec<GrantData<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct GrantData<'a> {
    id: &'a str,
    says: GrantVerdict,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    server: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    tools: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    scopes: &'a [Scope],
    lasts: GrantLifetime,
    given: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

pub(crate) fn grants_json(grants: &[Grant]) -> JsonBuf {
    to_json(&GrantsReport { grants: grants.iter().map(GrantData::of).collect() })
}

impl<'a> GrantData<'a> {
    pub(crate) fn of(grant: &'a Grant) -> Self {
        let terms = &grant.terms;
        Self {
            id: &grant.id.0,
            says: terms.verdict,
            principal: grant.holder.principal.key(),
            client: terms.client.as_deref(),
            server: &terms.server,
            project: terms.project.as_deref(),
            tools: match terms.tools {
                GrantedTools::One(_) => "one",
                GrantedTools::Every => "every",
                GrantedTools::Reading => "reading",
            },
            tool: terms.tools.name(),
            scopes: &terms.scopes,
            lasts: terms.lifetime,
            given: moment(grant.issued_at),
            expires: terms.expires.map(moment),
        }
    }
}

pub(crate) fn grant_json(grant: &Grant) -> JsonBuf {
    to_json(&GrantData::of(grant))
}

/// How long a grant lasts: `until revoked, at most until 2026-07-28 09:05`.
pub(crate) fn lasting(lifetime: GrantLifetime, expires: Option<u64>) -> String {
    let words = match lifetime {
        GrantLifetime::Once => "for one call",
        GrantLifetime::Session => "for the session",
        GrantLifetime::Always => "until revoked",
    };
    match expires {
        Some(end) => format!("{words}, at most until {}", minute(end)),
        None => words.to_owned(),
    }
}

/// The extent of a grant: `in /home/me/site`, or `everywhere`.
pub(crate) fn extent_words(project: Option<&str>) -> String {
    project.map_or_else(|| "everywhere".to_owned(), |project| format!("in {}", Untrusted(project)))
}

/// The effect of an answer, in words for the person who gave it.
pub(crate) fn answered_words(id: &QuestionId, answer: Answer, terms: Option<&Terms>) -> String {
    match (answer, terms) {
        (Answer::Yes { .. }, Some(terms)) => {
            let place = match terms.lifetime {
                GrantLifetime::Always => format!(" {}", extent_words(terms.project.as_deref())),
                GrantLifetime::Once | GrantLifetime::Session => String::new(),
            };
            let lasting = lasting(terms.lifetime, terms.expires);
            match terms.scopes == every_scope() {
                true => {
                    let tools = Untrusted(&terms.tools.to_string()).to_string();
                    format!("{id}: allowed {tools}, whatever the arguments are{place}, {lasting}")
                }
                false => format!("{id}: allowed {}{place}, {lasting}", listed(&terms.scopes)),
            }
        }
        (Answer::Trust(trust), _) => format!("{id}: the server {}", trust_words(trust)),
        (Answer::NoThisSession, _) => format!("{id}: refused, and whatever else its session asks"),
        (Answer::NeverInProject, Some(terms)) => {
            let place = extent_words(terms.project.as_deref());
            format!(
                "{id}: refused, and never asked again about {} {place}",
                Untrusted(&terms.tools.to_string())
            )
        }
        _ => format!("{id}: refused"),
    }
}

/// The scopes within a sentence: `write:file:/home/me`, or that the arguments do not matter.
pub(crate) fn scopes_sentence(scopes: &[Scope]) -> String {
    if scopes == every_scope() {
        ", whatever its arguments are,".to_owned()
    } else {
        format!(" {}", listed(scopes))
    }
}

fn listed(scopes: &[Scope]) -> String {
    let shown: Vec<String> =
        scopes.iter().map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    shown.join(", ")
}

pub(crate) fn scope_words(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

pub(super) fn scopes_text(scopes: &[Scope]) -> String {
    Untrusted(clip(&scope_words(scopes).join(", "))).to_string()
}

pub(super) fn moment(seconds: u64) -> String {
    // A time beyond any clock is shown as the latest time.
    format_millis(UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(LATEST))).unwrap_or(UNIX_EPOCH))
}

/// A time to the minute in UTC: `2026-07-28 09:05`.
fn minute(seconds: u64) -> String {
    moment(seconds)[..16].replace('T', " ")
}
