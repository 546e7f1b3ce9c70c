//! Formats trust in servers, as a table, as words and as JSON, and the command that decides it.
use overt_layers::grants::TrustedServer;
use overt_policy::Trust;
use overt_wire::Principal;
use overt_wire::json::JsonBuf;
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::report::to_json;
use super::safe::{clip, one_line};
use super::style::{DIM, NAME, PLAIN};
use super::table::{Cell, Table};
use overt_operator::words::trust_words;

pub(crate) fn trusted_text(trusted: &[TrustedServer], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["SERVER", "TRUST", "MEANS", "PROJECT"]);
    for TrustedServer { server, project, trust, .. } in trusted {
        let place = project.as_deref().map_or_else(|| "none (HTTP)".to_owned(), one_line);
        table.row(vec![
            Cell::new(Untrusted(clip(server)).to_string(), NAME),
            Cell::new(trust.to_string(), PLAIN),
            Cell::new(trust_words(*trust).to_owned(), DIM),
            Cell::new(place, PLAIN),
        ]);
    }
    table.render(width)
}

/// The answer of `overt trust --list`.
#[derive(Debug, Serialize)]
struct TrustReport<'a> {
    trusted: Vec<TrustData<'a>>,
}

/// One decision. A decision without a project has no member `project`, and one of the user of this
/// machine no member `principal`.
#[derive(Debug, Serialize)]
pub(crate) struct TrustData<'a> {
    server: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    trust: Trust,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// The questions that it answered; `None` if nothing was decided now.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<Vec<&'a str>>,
    /// The changed tools that it covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<Vec<&'a str>>,
}

pub(crate) fn trusted_json(trusted: &[TrustedServer]) -> JsonBuf {
    to_json(&TrustReport { trusted: trusted.iter().map(TrustData::of).collect() })
}

impl<'a> TrustData<'a> {
    pub(crate) fn of(trusted: &'a TrustedServer) -> Self {
        let TrustedServer { principal, server, project, trust } = trusted;
        let principal = (*principal != Principal::local()).then(|| principal.key());
        Self { server, project: project.as_deref(), trust: *trust, principal, answered: None, covers: None }
    }

    /// A decision that was made just now.
    pub(crate) fn decided(trusted: &'a TrustedServer, answered: Vec<&'a str>, covers: Vec<&'a str>) -> Self {
        let covers = (!covers.is_empty()).then_some(covers);
        Self { answered: Some(answered), covers, ..Self::of(trusted) }
    }
}
