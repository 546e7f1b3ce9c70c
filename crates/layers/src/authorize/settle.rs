//! From the question to a yes or no: decides, and asks a person as long as that can change the answer.
use std::cell::RefCell;
use std::time::Instant;

use overt_policy::scope::Scope;
use overt_policy::{Decision, Subject, Verdict};
use overt_wire::{ErrorObject, Message};

use super::answers::{No, word};
use super::asking::{self, Reply};
use super::call::Settled;
use super::case::Case;
use super::layer::Authorize;
use super::records::Story;
use crate::Endpoint;
use crate::audit::{Entry, Kind};
use crate::grants::{Answer, Grant, Lasts, Need, StoreError};
use crate::policy::Cleared;

/// How often a call is decided anew because a grant was gone or was just given.
const MOST_DECISIONS: usize = 3;
/// A call that was allowed.
pub(super) struct Permit {
    pub(super) decision: Decision,
    pub(super) cleared: Cleared,
    /// By a grant that is used up now.
    pub(super) is_once: bool,
}

impl<E: Endpoint> Authorize<E> {
    /// Decides, and asks as long as that can change the answer.
    pub(super) async fn settle(&self, case: &Case<'_>, story: &mut Story) -> Settled<Permit> {
        for _ in 0..MOST_DECISIONS {
            let (decision, used) = self.decide(case).map_err(|error| self.broken(case, story, &error))?;
            story.decided(&decision);
            match decision.verdict {
                Verdict::Deny => return Err(self.denied(case, &decision, story)),
                Verdict::NeedsApproval => self.approve(case, &decision, story).await?,
                Verdict::Allow => {
                    // What is refused anyway must not cost a grant.
                    self.limit(case, &decision, story)?;
                    let spent = match &used {
                        Some(grant) => self.control.grants.spend(&grant.id),
                        None => Ok(true),
                    };
                    if !spent.map_err(|error| self.broken(case, story, &error))? {
                        continue;
                    }
                    let once = |grant: &Grant| grant.terms.lasts == Lasts::Once;
                    let is_once = case.permitted || used.as_ref().is_some_and(once);
                    story.say(|entry| entry.grant = used.map(|grant| grant.id.0));
                    return match Cleared::by(&decision, &self.control.judges, &case.exchange.message) {
                        Ok(cleared) => Ok(Permit { decision, cleared, is_once }),
                        Err(refusal) => {
                            let reason = refusal.map_or_else(String::new, |refusal| refusal.reason);
                            story.denied(&reason);
                            Err(Some(Message::error(
                                case.exchange.message.id(),
                                &ErrorObject::invalid_params(reason),
                            )))
                        }
                    };
                }
            }
        }
        Err(self.refuse(case, story, &No::new(word::NOT_GRANTED, NOT_GRANTED)))
    }

    /// The decision, and the grant that it rests on.
    fn decide(&self, case: &Case<'_>) -> Result<(Decision, Option<Grant>), StoreError> {
        let facts = &case.known.facts;
        let used: RefCell<Option<Grant>> = RefCell::new(None);
        let failed: RefCell<Option<StoreError>> = RefCell::new(None);
        let granted = |scopes: &[Scope]| {
            if case.permitted || scopes.iter().all(|scope| case.ground.wishes.trusted.covers(scope)) {
                return true;
            }
            let need = Need {
                holder: case.holder(),
                server: case.server,
                tool: &facts.tool,
                scopes,
                arguments: case.digest(),
            };
            let store = &self.control.grants;
            let of_token =
                case.ground.wishes.token.as_deref().map_or(Ok(None), |token| store.of_token(token, &need));
            let grant = of_token.and_then(|grant| match grant {
                Some(grant) => Ok(Some(grant)),
                None => store.covering(&need),
            });
            match grant {
                Ok(grant) => {
                    let found = grant.is_some();
                    *used.borrow_mut() = grant;
                    found
                }
                Err(error) => {
                    *failed.borrow_mut() = Some(error);
                    false
                }
            }
        };
        let subject = Subject::Tool { facts, arguments: Some(case.arguments) };
        let (authority, overlays) = (&case.ground.in_force.authority, case.ground.wishes.overlays());
        let mut decision = authority.decide(subject, &overlays, &granted);
        if let (Verdict::NeedsApproval, Some(facts)) = (decision.verdict, &case.planning) {
            // Nobody need agree to what is only shown to them, but they must be allowed to see it.
            let subject = Subject::Tool { facts, arguments: Some(case.arguments) };
            decision = authority.decide(subject, &overlays, &granted);
        }
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok((decision, used.into_inner())),
        }
    }

    /// Asks a person. Ok: decide again.
    async fn approve(&self, case: &Case<'_>, decision: &Decision, story: &mut Story) -> Settled<()> {
        let question = case.question(decision);
        story.say(|entry| entry.requested = decision.requested().iter().map(ToString::to_string).collect());
        if let Some(entry) = story.entry(Kind::ApprovalRequest) {
            self.control.ledger.note(Entry { reason: Some(question.reason.clone()), ..entry });
        }
        let begun = Instant::now();
        let (store, wait) = (&*self.control.grants, case.ground.in_force.approval.wait);
        let info = self.endpoint.info();
        let reply = asking::ask(case, &question, store, &self.rounds, wait, &info).await;
        story.waited(begun);
        match reply {
            Err(error) => Err(self.broken(case, story, &error)),
            Ok(Reply::InResult(result)) => Err(Some(result)),
            Ok(Reply::Answered(answer)) => self.answered(case, answer, story),
            Ok(Reply::Unanswered(question)) => {
                let requested = decision.requested();
                let no = No { requested: &requested, question, ..No::new(word::NOT_GRANTED, NOT_GRANTED) };
                Err(self.refuse(case, story, &no))
            }
        }
    }

    /// A person has answered. Ok: there is a grant now.
    pub(super) fn answered(&self, case: &Case<'_>, answer: Answer, story: &mut Story) -> Settled<()> {
        let given = self.decide(case).and_then(|(decision, _)| {
            let Some(terms) = answer.terms(&case.question(&decision)) else { return Ok(None) };
            // What was asked may not be wider than what can be granted now.
            self.control.grants.give(case.holder(), terms).map(Some)
        });
        let given = given.map_err(|error| self.broken(case, story, &error))?;
        let (decision, grant) = match &given {
            Some(grant) => ("allow", Some(grant.id.0.clone())),
            None => ("deny", None),
        };
        if let Some(entry) = story.entry(Kind::Approval) {
            let reason = Some(answer.to_string());
            self.control.ledger.note(Entry { decision: Some(decision), grant, reason, ..entry });
        }
        if let Some(grant) = given.as_ref().filter(|grant| grant.terms.lasts != Lasts::Once) {
            // The first is as good as any.
            let _ = case.token.set(self.control.grants.token(grant));
        }
        match given {
            Some(_) => Ok(()),
            None => Err(self.refuse(case, story, &No::new(word::DENIED, REFUSED_BY_PERSON))),
        }
    }
}

const NOT_GRANTED: &str = "This call needs a permission that nobody has given yet, so nothing was done. The user was or \
     will be asked by their own program; don't try to get the same effect in another way. Tell the user what you want \
     to do, and call again when they have agreed.";
const REFUSED_BY_PERSON: &str = "The user was asked and said no, so nothing was done. Don't try to get the same effect in \
     another way; ask the user how to go on.";
