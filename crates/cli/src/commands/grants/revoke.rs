//! `overt grants revoke`.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{Grant, GrantVerdict};
use overt_state::grants::SqliteStore;
use overt_wire::json::{Array, JsonBuf, Object};

use super::authorize::authorize_answerer;
use super::context::DecisionContext;
use super::error::no_grant;
use super::record::{Records, entry};
use crate::args::RevokeArgs;
use crate::error::{CommandError, Exit};

/// Revokes all of the grants. If one of them does not exist, revokes none.
pub(super) fn revoke(context: &DecisionContext<'_>, args: &RevokeArgs) -> Result<Exit, CommandError> {
    let store = context.store()?;
    let live = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::grants)?;
    let gone: Vec<&Grant> = match args.all {
        true => live.iter().collect(),
        false => {
            let find =
                |id: &String| live.iter().find(|grant| grant.id.0 == *id).ok_or_else(|| no_grant(id, &live));
            args.ids.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    let mut revoked = Array::new();
    let mut words = Vec::new();
    if let Some(store) = store.filter(|_| !gone.is_empty()) {
        // Revoking a refusal allows more, so only a person may do it.
        let refusals: Vec<&Grant> =
            gone.iter().copied().filter(|grant| grant.terms.verdict == GrantVerdict::Refuse).collect();
        if !refusals.is_empty() {
            authorize_answerer(context, refusals.into_iter().map(revocation))?;
        }
        take_back(context, &store, &gone)?;
        for Grant { id, .. } in gone {
            revoked = revoked.json(JsonBuf::from(&serde_json::Value::from(id.0.as_str())).as_json());
            words.push(format!("{id} is revoked"));
        }
    }
    if words.is_empty() {
        words.push("there was nothing to revoke".to_owned());
    }
    context.say(&Object::new().json("revoked", revoked.finish().as_json()).finish(), &words.join("\n"))
}

/// Revokes these grants. Each audit record is on disk before its grant is revoked.
pub(in crate::commands) fn take_back(
    context: &DecisionContext<'_>,
    store: &SqliteStore,
    gone: &[&Grant],
) -> Result<(), CommandError> {
    let records = Records::open(context)?;
    for grant in gone {
        let revoke = revocation(grant);
        records.write(revoke.clone())?;
        // A grant that ended in the meantime is not an error.
        store
            .revoke(&grant.id)
            .inspect_err(|error| records.record_without_effect(revoke, &error.to_string()))?;
    }
    Ok(())
}

/// Returns the audit record of a grant that is revoked.
pub(in crate::commands) fn revocation(Grant { id, terms, .. }: &Grant) -> Entry {
    let (place, tools) = ((terms.server.as_str(), terms.project.as_deref()), terms.tools.to_string());
    Entry {
        grant: Some(id.0.clone()),
        agent: terms.client.clone(),
        ..entry(Kind::Revoke, place, &tools, &terms.scopes)
    }
}
