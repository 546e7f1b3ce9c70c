//! The path that every change of a person takes: authorise, record the intent, apply, record the
//! outcome.
use std::fmt;
use std::sync::Arc;

use super::channel::Reach;
use super::check::{Person, PersonCheck};
use crate::audit::{Durability, Entry, Kind, Ledger, LedgerError};
use crate::seal::random_name;

/// A change that a person makes.
pub trait PersonAction {
    /// What applying the change gives.
    type Effect;

    /// Returns what is recorded before the change takes effect. The path adds who acts.
    fn intent(&self) -> Vec<Entry>;

    /// Returns what is recorded after it took effect.
    fn outcome(&self, effect: &Self::Effect) -> Vec<Entry>;

    /// Returns how far the change reaches.
    fn reach(&self) -> Reach;

    /// Returns whether more is allowed after the change than before. A change that only restricts
    /// needs no proof that a person makes it.
    fn allows_more(&self) -> bool;

    /// Returns when the intent must be on the disk.
    fn durability(&self) -> Durability {
        Durability::Durable
    }

    /// Returns whether the change is made only if its intent is recorded.
    fn must_be_recorded(&self) -> bool {
        true
    }
}

/// A change that a person was authorised to make, and whose intent is recorded. Whatever writes
/// such a change takes this value, and only [`act`] makes it:
///
/// ```compile_fail,E0451
/// use overt_layers::person::{Authorised, Channel, Person, RevokeGrant};
/// fn forged(action: std::sync::Arc<RevokeGrant>, person: Person) -> Authorised<RevokeGrant> {
///     Authorised { action, person }
/// }
/// ```
///
/// The stores take nothing else:
///
/// ```
/// use overt_layers::grants::StateStore;
/// use overt_layers::person::{Authorised, GiveAnswer, GiveGrant, RevokeGrant, SetTrust};
/// async fn write(store: &dyn StateStore, answer: Authorised<GiveAnswer>, grant: Authorised<GiveGrant>) {
///     let _ = store.answer(answer).await;
///     let _ = store.give(grant).await;
/// }
/// ```
///
/// ```compile_fail,E0308
/// use overt_layers::grants::StateStore;
/// use overt_layers::person::GiveAnswer;
/// async fn write(store: &dyn StateStore, answer: GiveAnswer) {
///     let _ = store.answer(answer).await;
/// }
/// ```
///
/// ```compile_fail,E0308
/// use overt_layers::grants::{Holder, StateStore, Terms};
/// use overt_layers::person::GiveGrant;
/// async fn write(store: &dyn StateStore, grant: GiveGrant) {
///     let _ = store.give(grant).await;
/// }
/// ```
///
/// ```compile_fail,E0308
/// use overt_layers::grants::{GrantId, StateStore};
/// async fn write(store: &dyn StateStore, grant: GrantId) {
///     let _ = store.revoke(grant).await;
/// }
/// ```
///
/// ```compile_fail,E0308
/// use overt_layers::grants::StateStore;
/// use overt_layers::person::SetTrust;
/// async fn write(store: &dyn StateStore, trust: SetTrust) {
///     let _ = store.set_trust(trust).await;
/// }
/// ```
///
/// ```compile_fail,E0308
/// use overt_layers::grants::StateStore;
/// use overt_layers::person::ForgetTrust;
/// async fn write(store: &dyn StateStore, forget: ForgetTrust) {
///     let _ = store.forget_trust(forget).await;
/// }
/// ```
#[derive(Debug)]
pub struct Authorised<A> {
    action: Arc<A>,
    person: Person,
}

/// The reason why a change was not made.
#[derive(Debug)]
pub enum NotDone<R, E> {
    /// No person is shown.
    Refused(R),
    /// The channel does not reach so far.
    TooFar(Reach),
    /// The intent can't be recorded.
    NotRecorded(LedgerError),
    /// The change can't be applied.
    Failed(E),
}

/// The layer that records of refused changes name.
const LAYER: &str = "answerer";

/// Makes a change: authorises the person, records the intent, applies the change, and records the
/// outcome. `apply` writes the change.
pub async fn act<C, A, E, F>(
    check: &C,
    ledger: &dyn Ledger,
    action: A,
    apply: impl FnOnce(Authorised<A>) -> F,
) -> Result<A::Effect, NotDone<C::Refusal, E>>
where
    C: PersonCheck,
    A: PersonAction,
    E: fmt::Display,
    F: Future<Output = Result<A::Effect, E>>,
{
    let name = random_name();
    let named = |entry: Entry, who: &Person| Entry {
        call: entry.call.or_else(|| Some(name.clone())),
        principal: Some(who.principal.key()),
        ..entry
    };
    let refuse = async |why: String| {
        for entry in action.intent() {
            let refused = named(refused(entry, &why), &check.anybody());
            // The change is refused even if the refusal can't be recorded.
            if let Err(error) = ledger.write(refused, Durability::Durable).await {
                tracing::error!(%error, "a refused change can't be recorded");
            }
        }
    };
    let person = match action.allows_more() {
        false => check.anybody(),
        true => match check.person() {
            Ok(person) => person,
            Err(refusal) => {
                refuse(refusal.to_string()).await;
                return Err(NotDone::Refused(refusal));
            }
        },
    };
    if action.reach() > person.reach() {
        refuse(format!("a change through this channel reaches at most: {}", person.reach())).await;
        return Err(NotDone::TooFar(person.reach()));
    }
    let action = Arc::new(action);
    for (count, entry) in action.intent().into_iter().enumerate() {
        let recorded = ledger.write(named(entry, &person), action.durability()).await;
        if let Err(error) = recorded
            && action.must_be_recorded()
        {
            // Those before this one are in the log already.
            for entry in action.intent().into_iter().take(count) {
                ledger.note(named(without_effect(entry, &error), &person));
            }
            return Err(NotDone::NotRecorded(error));
        }
    }
    let authorised = Authorised { action: Arc::clone(&action), person: person.clone() };
    let effect = apply(authorised).await;
    let outcome = match &effect {
        Ok(effect) => action.outcome(effect),
        Err(error) => action.intent().into_iter().map(|entry| without_effect(entry, error)).collect(),
    };
    for entry in outcome {
        // The change holds even if its outcome can't be recorded; its intent is.
        if let Err(error) = ledger.write(named(entry, &person), action.durability()).await {
            tracing::error!(%error, "the outcome of a change can't be recorded");
        }
    }
    effect.map_err(NotDone::Failed)
}

/// Returns the record of a change that is in the log already and had no effect.
pub(super) fn without_effect(entry: Entry, why: impl fmt::Display) -> Entry {
    Entry { reason: Some(format!("without effect: {why}")), decision: None, ..entry }
}

/// Returns the record of a change that was refused.
pub fn refused(entry: Entry, why: impl fmt::Display) -> Entry {
    Entry {
        kind: Kind::Deny,
        decision: Some("deny"),
        reason: Some(match &entry.reason {
            Some(reason) => format!("{reason}: {why}"),
            None => why.to_string(),
        }),
        layer: Some(LAYER.to_owned()),
        ..entry
    }
}

impl<A> Authorised<A> {
    pub fn person(&self) -> &Person {
        &self.person
    }
}

impl<A> std::ops::Deref for Authorised<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.action
    }
}
