//! Formats access tokens of clients, as a table and as JSON.
use std::time::{Duration, UNIX_EPOCH};

use overt_state::access_tokens::AccessToken;
use overt_wire::rfc3339::format_millis;
use serde::Serialize;

use super::safe::one_line;
use super::style::{DIM, PLAIN, TITLE};
use super::table::{Cell, Table};

pub(crate) fn tokens_text(tokens: &[AccessToken], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["ID", "NAME", "CREATED"]);
    for token in tokens {
        table.row(vec![
            Cell::new(token.id.clone(), TITLE),
            Cell::new(one_line(&token.name), PLAIN),
            Cell::new(created(token), DIM),
        ]);
    }
    table.render(width)
}

/// The answer of `overt token`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TokensReport<'a> {
    Tokens(Vec<TokenData<'a>>),
    Revoked(Vec<TokenData<'a>>),
}

#[derive(Debug, Serialize)]
pub(crate) struct TokenData<'a> {
    id: &'a str,
    name: &'a str,
    created: String,
    /// The secret itself, which is shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl<'a> TokenData<'a> {
    pub(crate) fn of(token: &'a AccessToken) -> Self {
        Self { id: &token.id, name: &token.name, created: created(token), token: None }
    }

    pub(crate) fn with_secret(self, secret: &'a str) -> Self {
        Self { token: Some(secret), ..self }
    }
}

fn created(token: &AccessToken) -> String {
    UNIX_EPOCH.checked_add(Duration::from_secs(token.created)).map(format_millis).unwrap_or_default()
}
