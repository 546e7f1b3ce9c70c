//! Grants that a person gives before any call asks, and the end of grants.
use overt_layers::grants::{Grant, GrantLifetime, Holder, Terms};
use overt_layers::person::{GiveGrant, PersonCheck, RevokeGrant};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;

use crate::error::OperatorError;
use crate::not_answerer::NotAnswerer;
use crate::operator::Operator;
use crate::words::lasting;

/// Returns the grant of these terms to every client of the user of this machine.
pub fn in_advance(terms: Terms) -> GiveGrant {
    let words = lasting(terms.lifetime, terms.expires);
    GiveGrant::in_advance(Holder::any_client(Principal::local()), terms, &words)
}

pub fn give<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    store: &SqliteStore,
    grant: GiveGrant,
) -> Result<Grant, OperatorError> {
    operator.act(check, grant, |grant| store.give(&grant)).map(|given| given.grant)
}

/// Revokes these grants. A grant that ended meanwhile is not an error.
pub fn revoke<'g, C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    store: &SqliteStore,
    grants: impl IntoIterator<Item = &'g Grant>,
) -> Result<(), OperatorError> {
    for grant in grants {
        operator.act(check, RevokeGrant { grant: grant.clone() }, |grant| store.revoke(&grant))?;
    }
    Ok(())
}

/// Returns whether a grant outlasts sessions.
pub fn is_lasting(grant: &Grant) -> bool {
    grant.terms.lifetime == GrantLifetime::Always
}
