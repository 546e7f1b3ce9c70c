//! A call while it is being decided: who calls what, with which arguments, under which wishes.
use std::sync::{Arc, OnceLock};

use overt_policy::scope::{Scope, ScopeSet, ScopeTemplate};
use overt_policy::secrets::{Strings, redact};
use overt_policy::{Decision, Overlays, Subject, ToolFacts, Verdict};
use overt_wire::json::{Json, Member};
use overt_wire::{Exchange, Message, Session};
use serde_json::Value;

use super::catalogue::Known;
use super::ground::Ground;
use super::wishes::Wishes;
use crate::grants::{Holder, LOCAL, Question};
use crate::policy::ScopeCheck;
use crate::preview::Preview;
use crate::seal::{digest, random_name};

/// What of the arguments is shown to whoever decides elsewhere.
const SHOWN_ARGUMENTS: usize = 2_000;

/// A call while it is being decided.
pub(super) struct Case<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) ground: &'a Ground,
    /// The server that grants are bound to; its name in scopes is that of the facts.
    pub(super) server: &'a str,
    pub(super) known: &'a Known,
    /// The endpoint knows better than the arguments what is used, and will ask.
    pub(super) is_located: bool,
    pub(super) arguments: &'a Value,
    /// The tool as it is when only the plan of the call is wanted, and that is known to change nothing.
    pub(super) planning: Option<ToolFacts>,
    /// Whoever was asked about it, if a person was.
    pub(super) asked: Option<Holder>,
    pub(super) bound: Bound,
    pub(super) intent: String,
    /// Of a grant that was given for this call and holds longer: the client can show it elsewhere.
    pub(super) token: OnceLock<String>,
    /// It was permitted before, and the server asked something meanwhile.
    pub(super) permitted: bool,
}

/// What grants go by, made when somebody looks for one: most calls need none.
#[derive(Debug, Default)]
pub(super) struct Bound {
    arguments: OnceLock<String>,
    holder: OnceLock<Holder>,
}

impl Case<'_> {
    /// The digest of the arguments as they were written.
    pub(super) fn digest(&self) -> &str {
        self.bound.arguments.get_or_init(|| {
            let written = self.exchange.message.params().get("arguments").value();
            // Who agreed to see what would change has not agreed to the change.
            let preview = if self.ground.wishes.preview == Preview::Yes { "preview" } else { "" };
            digest(&[written.map_or("", Json::as_str), preview])
        })
    }

    /// Who uses what is granted. A client without a session is this very request, from the question to the answer: what
    /// one got, another can't use.
    pub(super) fn holder(&self) -> &Holder {
        self.bound.holder.get_or_init(|| match &self.asked {
            Some(asked) => asked.clone(),
            None => holder(&self.exchange.session).or_of_request(&random_name()),
        })
    }

    /// What a person is asked.
    pub(super) fn question(&self, decision: &Decision) -> Question {
        let facts = &self.known.facts;
        let reasons: Vec<&str> = decision
            .said
            .iter()
            .filter(|said| said.verdict == Verdict::NeedsApproval)
            .map(|said| said.why.as_str())
            .collect();
        // They are kept in a file and shown on other screens than the client's.
        let written = self.exchange.message.params().get("arguments").value();
        let written = written.map_or_else(|| "{}".to_owned(), |written| redact(written, Strings::Cut));
        Question {
            holder: self.holder().clone(),
            server: self.server.to_owned(),
            tool: facts.tool.to_string(),
            intent: self.intent.clone(),
            reason: reasons.join("; "),
            scopes: decision.missing.clone(),
            wider: decision.wider.clone(),
            arguments: self.digest().to_owned(),
            shown_arguments: written[..written.floor_char_boundary(SHOWN_ARGUMENTS)].to_owned(),
            // Whoever asks it knows for how long.
            until: 0,
        }
    }
}

impl Case<'_> {
    /// Decides about scopes that the endpoint finds out while it works, on the ground that the call itself was decided on. What
    /// the call was permitted holds for them too; nobody is asked again.
    pub(super) fn scope_check(&self) -> ScopeCheck {
        let facts = self.planning.as_ref().unwrap_or(&self.known.facts).clone();
        let permitted: ScopeSet =
            facts.scopes.iter().filter(|scope| scope.is_fixed()).map(ScopeTemplate::widest).collect();
        let (in_force, wishes) = (Arc::clone(&self.ground.in_force), self.ground.wishes.clone());
        ScopeCheck(Arc::new(move |scope| {
            if permitted.covers(scope) {
                return true;
            }
            let facts = facts.needing(scope.clone());
            let subject = Subject::Tool { facts: &facts, arguments: None };
            let granted = |scopes: &[Scope]| scopes.iter().all(|scope| wishes.trusted.covers(scope));
            let decision = in_force.authority.decide(subject, &wishes.overlays(), &granted);
            decision.verdict == Verdict::Allow
        }))
    }
}

impl Wishes {
    pub(super) fn overlays(&self) -> Overlays<'_> {
        Overlays { call: &self.policy, denied_scopes: &self.denied, ..Overlays::default() }
    }
}

/// Who uses what was granted. A client without a session has none.
pub(super) fn holder(session: &Session) -> Holder {
    let session = match session.is_one_client() {
        true => digest(&["session", session.id()]),
        false => String::new(),
    };
    Holder { principal: LOCAL.to_owned(), session }
}

/// The arguments as values. None when they hold a number that no value can.
pub(super) fn arguments(message: &Message) -> Option<Value> {
    match message.params().get("arguments") {
        Member::Value(arguments) => arguments.read().ok(),
        Member::Absent | Member::Null => Some(Value::Object(serde_json::Map::new())),
    }
}
