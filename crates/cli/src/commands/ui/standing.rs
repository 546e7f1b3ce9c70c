//! Grants, and trust in servers.
use overt_layers::grants::Grant;
use overt_state::grants::SqliteStore;
use serde::Deserialize;
use serde_json::{Value, json};

use super::problem::Problem;
use crate::output::{TrustData, grant_json, lasting, to_json};
use crate::settings::UiSettings;
use overt_operator::inbox::InboxStore;

/// The page's request to revoke a grant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Revoke {
    id: String,
}

pub(super) fn list(settings: &UiSettings) -> Result<Value, Problem> {
    let Some(store) = SqliteStore::open_if_there(settings.state.path())? else {
        return Ok(json!({ "grants": [], "trust": [] }));
    };
    let grants: Vec<Value> = store.grants()?.iter().map(described).collect();
    let trust: Vec<Value> = store
        .trusted()?
        .iter()
        .filter_map(|one| to_json(&TrustData::of(one)).as_json().read().ok())
        .collect();
    Ok(json!({ "grants": grants, "trust": trust }))
}

pub(super) fn revoke(store: &mut InboxStore<'_>, revoke: &Revoke) -> Result<Value, Problem> {
    Ok(json!({ "words": store.revoke(&revoke.id)? }))
}

fn described(grant: &Grant) -> Value {
    let mut value: Value = grant_json(grant).as_json().read().unwrap_or_default();
    value["holds"] = lasting(grant.terms.lifetime, grant.terms.expires).into();
    value
}
