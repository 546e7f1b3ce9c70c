//! `overt grants revoke`.
use overt_layers::audit::Entry;
use overt_layers::grants::{Grant, GrantVerdict};
use overt_layers::person::{PersonAction as _, RevokeGrant};
use overt_operator::decisions::{no_grant, revoke as revoke_grants};
use overt_state::grants::SqliteStore;
use overt_wire::json::{Array, JsonBuf, Object};

use super::context::DecisionContext;
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
        let operator = context.operator();
        // Revoking a refusal allows more, so only a person may do it.
        let refusals = gone.iter().filter(|grant| grant.terms.verdict == GrantVerdict::Refuse);
        let about: Vec<Entry> =
            refusals.flat_map(|grant| RevokeGrant { grant: (*grant).clone() }.intent()).collect();
        match about.is_empty() {
            true => revoke_grants(&operator, &operator.answerer(), &store, gone.iter().copied())?,
            false => {
                let proof = operator.prove(about)?;
                revoke_grants(&operator, &operator.proven(proof), &store, gone.iter().copied())?;
            }
        }
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
