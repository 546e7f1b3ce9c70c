//! Records what people said and what it allows, and checks that each call that went out was covered
//! by it.
use std::collections::HashMap;

use overt_layers::audit::{CallOutcome, Kind};
use overt_layers::grants::{Grant, GrantLifetime, GrantVerdict};
use overt_policy::Trust;

use super::form::{Agreed, Shown};
use super::ledger::Line;
use super::rules::{Tool, Verdict, covers};
use super::world::Reached;

/// Every yes, and every record that matters.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    given: Vec<Given>,
    /// Approvals in the audit log.
    approvals: Vec<Approved>,
    /// The decision about the server that lasts, and those that end with a session, by its holder.
    lasting: Option<Decided>,
    in_sessions: HashMap<String, Decided>,
    /// Intents without an outcome yet, by the id of the call, with its tool and session.
    intents: HashMap<String, Intent>,
    /// The yes that permitted a call, by the call's number.
    used: HashMap<u64, usize>,
}

/// A yes.
#[derive(Debug)]
struct Given {
    at: u64,
    holder: String,
    shown: Shown,
    agreed: Agreed,
    is_spent: bool,
    /// When a grant that it gave was revoked.
    revoked: Option<u64>,
}

/// A decision about the server.
#[derive(Debug)]
struct Decided {
    trust: Trust,
    /// The definitions that the person was shown.
    shown: HashMap<Tool, u64>,
}

#[derive(Debug)]
struct Approved {
    at: u64,
    tool: String,
    reason: String,
}

#[derive(Debug)]
struct Intent {
    at: u64,
    tool: String,
    session: String,
    is_durable: bool,
    is_used: bool,
}

impl Evidence {
    /// A person said yes.
    pub(crate) fn yes(&mut self, at: u64, holder: String, shown: Shown, agreed: Agreed) {
        self.given.push(Given { at, holder, shown, agreed, is_spent: false, revoked: None });
    }

    /// Takes a record into account.
    pub(crate) fn record(&mut self, line: &Line) {
        let (entry, at) = (&line.entry, line.at);
        let name = || entry.call.clone().unwrap();
        match entry.kind {
            Kind::Approval if entry.decision == Some("allow") => {
                let tool = entry.target.clone().unwrap();
                let reason = answer_of(entry.reason.as_deref().unwrap()).to_owned();
                self.check_approval(&tool, &reason, &entry.requested, at);
                self.approvals.push(Approved { at, tool, reason });
            }
            Kind::Intent => {
                let (tool, session) = (entry.target.clone().unwrap(), entry.session.clone().unwrap());
                let intent = Intent { at, tool, session, is_durable: line.is_durable, is_used: false };
                let before = self.intents.insert(name(), intent);
                assert!(before.is_none(), "two intents of one call without an outcome between: {before:?}");
            }
            Kind::Outcome => {
                let intent = self.intents.remove(&name());
                let is_read = entry.target.as_deref() == Some(Tool::Peek.name());
                let is_planned = entry.outcome == Some(CallOutcome::FailedBefore);
                assert!(intent.is_some() || is_read || is_planned, "an outcome without an intent: {entry:?}");
                let is_withdrawn =
                    matches!(entry.outcome, Some(CallOutcome::CancelledBefore | CallOutcome::FailedBefore));
                let ran = intent.is_some_and(|intent| intent.is_used);
                assert!(!(is_withdrawn && ran), "a call that went out is recorded as one that did not");
            }
            _ => {}
        }
    }

    /// The process ended, so no outcome of these calls will be recorded.
    pub(crate) fn crash(&mut self) {
        self.intents.clear();
    }

    /// Checks that every recorded call has an outcome.
    pub(crate) fn check_closed(&self) {
        assert!(self.intents.is_empty(), "calls without an outcome: {:?}", self.intents);
    }

    /// Checks that an approval is recorded only if a person gave it, and with the scopes that were
    /// shown.
    fn check_approval(&self, tool: &str, reason: &str, requested: &[String], at: u64) {
        let fits = |given: &Given| match &given.agreed {
            _ if given.at > at => false,
            Agreed::Trust { .. } => reason == trust_words(&given.agreed),
            Agreed::Grant { lifetime, scopes } => {
                given.shown.tool.name() == tool
                    && reason.starts_with(&format!("yes, {lifetime}"))
                    && same_scopes(scopes, requested)
            }
        };
        assert!(
            self.given.iter().any(fits),
            "`{reason}` for {tool} {requested:?} is recorded, but nobody said so: {:#?}",
            self.given
        );
    }

    /// Checks that a person agreed to a grant in the store, and that the approval was recorded
    /// first.
    pub(crate) fn check_grant(&self, grant: &Grant) {
        let terms = &grant.terms;
        if terms.verdict == GrantVerdict::Refuse {
            assert!(terms.lifetime == GrantLifetime::Always && terms.tool_digest.is_none(), "{grant:?}");
            return;
        }
        let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
        let fits = |given: &&Given| match &given.agreed {
            Agreed::Grant { lifetime, scopes: agreed } => {
                *lifetime == terms.lifetime
                    && Some(given.shown.tool.name()) == terms.tools.name()
                    && (*lifetime == GrantLifetime::Always || given.holder == grant.holder.client.to_text())
                    && same_scopes(agreed, &scopes)
            }
            Agreed::Trust { .. } => false,
        };
        let yes = self.given.iter().find(fits);
        let yes = yes.unwrap_or_else(|| panic!("nobody agreed to {grant:?}: {:#?}", self.given));
        assert!(self.is_recorded(yes, u64::MAX), "{grant:?} was not recorded before it holds");
        assert!(terms.lifetime != GrantLifetime::Once || (terms.arguments.is_some()), "{grant:?}");
    }

    /// A grant was revoked, so its recorded yes no longer counts.
    pub(crate) fn revoke(&mut self, grant: &Grant, at: u64) {
        if grant.terms.verdict == GrantVerdict::Refuse {
            return;
        }
        let scopes: Vec<String> = grant.terms.scopes.iter().map(ToString::to_string).collect();
        for index in 0..self.given.len() {
            let given = &self.given[index];
            let is_it = match &given.agreed {
                Agreed::Grant { lifetime, scopes: agreed } => {
                    *lifetime == grant.terms.lifetime
                        && *lifetime != GrantLifetime::Once
                        && given.holder == grant.holder.client.to_text()
                        && Some(given.shown.tool.name()) == grant.terms.tools.name()
                        && same_scopes(agreed, &scopes)
                        && self.is_recorded(given, at)
                }
                Agreed::Trust { .. } => false,
            };
            if is_it {
                self.given[index].revoked.get_or_insert(at);
            }
        }
    }

    /// Checks that a call that went out was allowed, or that a person had approved it. `resumes` is
    /// the call that it continues after a question of the server.
    pub(crate) fn check_reached(
        &mut self,
        reached: &Reached,
        holder: &str,
        session: &str,
        resumes: Option<u64>,
    ) {
        self.check_intent(reached, session);
        // An approval that let the call through once stays valid.
        if let Some(given) = resumes.and_then(|number| self.used.get(&number)) {
            self.given[*given].is_spent = false;
        }
        let Reached { at, tool, path, policy, plan, .. } = reached;
        let missing = match policy.verdict(*tool, path, *plan, false) {
            Verdict::Allow => return,
            Verdict::Deny => panic!("{policy:?} denies a call that went out: {reached:?}"),
            Verdict::Ask(missing) => missing,
        };
        if self.use_grant(reached, holder, &missing) {
            return;
        }
        let trust = self.trusted(holder, *tool, reached.definition).filter(|_| !tool.is_declared());
        let is_believed = match trust {
            Some(Trust::Nothing) => true,
            // No tool here claims to delete nothing.
            Some(Trust::Changes | Trust::Deletes) => match policy.verdict(*tool, path, *plan, true) {
                Verdict::Allow => true,
                Verdict::Ask(missing) if self.use_grant(reached, holder, &missing) => return,
                Verdict::Ask(_) | Verdict::Deny => false,
            },
            Some(Trust::Everything) | None => false,
        };
        assert!(
            is_believed,
            "a call went out at {at} that nobody agreed to: {reached:?} of {holder}, missing {missing:?}, trust {trust:?}\n{:#?}\n{:#?}\n{:#?} {:#?}",
            self.given, self.approvals, self.lasting, self.in_sessions
        );
    }

    /// Returns whether a yes covers the call. A yes for one call is used up by it.
    fn use_grant(&mut self, reached: &Reached, holder: &str, missing: &[String]) -> bool {
        let place = [false, true].into_iter().find_map(|is_once| {
            (0..self.given.len()).find(|index| {
                let given = &self.given[*index];
                let Agreed::Grant { lifetime, scopes } = &given.agreed else { return false };
                let in_reach = match lifetime {
                    GrantLifetime::Always => true,
                    GrantLifetime::Session => given.holder == holder,
                    GrantLifetime::Once => {
                        given.holder == holder
                            && given.shown.path == reached.path
                            && given.shown.plan == reached.plan
                            && !given.is_spent
                    }
                };
                (*lifetime == GrantLifetime::Once) == is_once
                    && in_reach
                    && given.at < reached.at
                    && given.revoked.is_none_or(|at| at > reached.at)
                    && given.shown.tool == reached.tool
                    && given.shown.shows(reached.tool, reached.definition)
                    && missing.iter().all(|scope| scopes.iter().any(|granted| covers(granted, scope)))
                    && self.is_recorded(given, reached.at)
            })
        });
        if let Some(place) = place {
            self.used.insert(reached.number, place);
            self.given[place].is_spent = true;
        }
        place.is_some()
    }

    /// Returns whether this kind of approval was recorded between the answer and `before`.
    fn is_recorded(&self, given: &Given, before: u64) -> bool {
        self.approvals.iter().any(|approved| {
            let is_reason = match &given.agreed {
                Agreed::Grant { lifetime, .. } => approved.reason.starts_with(&format!("yes, {lifetime}")),
                Agreed::Trust { .. } => approved.reason == trust_words(&given.agreed),
            };
            let in_time = approved.at > given.at && approved.at < before;
            is_reason && in_time && approved.tool == given.shown.tool.name()
        })
    }

    /// Returns how much is asked about calls of the tool, if a decision covers this definition.
    fn trusted(&self, holder: &str, tool: Tool, definition: u64) -> Option<Trust> {
        let decisions = self.lasting.iter().chain(self.in_sessions.get(holder));
        let mut covering = decisions.filter(|decided| decided.shown.get(&tool) == Some(&definition));
        covering.next().map(|decided| decided.trust)
    }

    /// Puts the answer to a question about trust into force, when it is recorded.
    pub(crate) fn decide(&mut self, line: &Line) {
        let entry = &line.entry;
        let is_trust = entry.reason.as_deref().is_some_and(|reason| answer_of(reason).starts_with("trust: "));
        if entry.kind != Kind::Approval || !is_trust {
            return;
        }
        let mut given = self.given.iter().rev();
        let given = given.find(|given| given.at < line.at && matches!(given.agreed, Agreed::Trust { .. }));
        let Some(Given { agreed: Agreed::Trust { trust, is_for_session }, shown, holder, .. }) = given else {
            return;
        };
        let mut definitions = shown.all.clone();
        if shown.asks_redefined {
            definitions.retain(|tool, _| *tool == shown.tool);
        }
        let new = || Decided { trust: *trust, shown: HashMap::new() };
        let decided = match is_for_session {
            true => self.in_sessions.entry(holder.clone()).or_insert_with(new),
            false => {
                self.in_sessions.clear();
                self.lasting.get_or_insert_with(new)
            }
        };
        decided.trust = *trust;
        decided.shown.extend(definitions);
    }

    /// What ended with a session counts no more.
    pub(crate) fn end_session(&mut self, holder: &str) {
        self.in_sessions.remove(holder);
    }

    /// Checks that the record of a call with an effect is on disk before the call.
    fn check_intent(&mut self, reached: &Reached, session: &str) {
        if reached.tool == Tool::Peek {
            return;
        }
        let fits = |intent: &&mut Intent| {
            intent.is_durable
                && !intent.is_used
                && intent.at < reached.at
                && intent.tool == reached.tool.name()
                && intent.session == session
        };
        match self.intents.values_mut().find(fits) {
            Some(intent) => intent.is_used = true,
            None => panic!("a call went out that was not recorded: {reached:?}"),
        }
    }
}

fn trust_words(agreed: &Agreed) -> String {
    match agreed {
        Agreed::Trust { trust, is_for_session: true } => format!("trust: {trust}, session"),
        Agreed::Trust { trust, is_for_session: false } => format!("trust: {trust}"),
        Agreed::Grant { .. } => String::new(),
    }
}

fn same_scopes(one: &[String], other: &[String]) -> bool {
    let sorted = |scopes: &[String]| {
        let mut scopes = scopes.to_vec();
        scopes.sort();
        scopes
    };
    sorted(one) == sorted(other)
}

/// Returns the answer in the reason of a record. An answer from elsewhere names its question first.
fn answer_of(reason: &str) -> &str {
    match reason.split_once(": ") {
        Some((question, answer)) if question.starts_with("q-") => answer,
        _ => reason,
    }
}
