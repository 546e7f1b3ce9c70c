//! Formats access tokens of clients, as a table and as JSON.
use std::time::{Duration, UNIX_EPOCH};

use overt_state::access_tokens::AccessToken;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::rfc3339::format_millis;

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

pub(crate) fn tokens_json(key: &str, tokens: &[AccessToken]) -> JsonBuf {
    let add = |array: Array, token: &AccessToken| array.json(token_object(token).finish().as_json());
    Object::new().json(key, tokens.iter().fold(Array::new(), add).finish().as_json()).finish()
}

/// One token as an object to which the caller can add members.
pub(crate) fn token_object(token: &AccessToken) -> Object {
    Object::new().string("id", &token.id).string("name", &token.name).string("created", &created(token))
}

fn created(token: &AccessToken) -> String {
    UNIX_EPOCH.checked_add(Duration::from_secs(token.created)).map(format_millis).unwrap_or_default()
}
