//! Formats grants: as a table and as sentences for a person, and as JSON for a program. Text from
//! others cannot control the terminal (SCP-08).
use overt_layers::grants::{Grant, GrantLifetime, GrantVerdict, GrantedTools, Terms, every_scope};
use overt_policy::scope::Scope;
use overt_wire::json::JsonBuf;
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::fold::hanging;
use super::report::to_json;
use super::safe::{clip, one_line};
use super::style::{DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};
use overt_operator::words::{extent_words, lasting, minute, moment};

/// Spaces before the first line of a paragraph.
const INDENT: usize = 2;

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

pub(crate) fn scope_words(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

pub(super) fn scopes_text(scopes: &[Scope]) -> String {
    Untrusted(clip(&scope_words(scopes).join(", "))).to_string()
}
