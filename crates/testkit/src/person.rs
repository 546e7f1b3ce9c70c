//! A person's changes, authorised without a person: for tests that write to a store.
use std::cell::Cell;
use std::convert::Infallible;
use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use overt_layers::audit::NoLedger;
use overt_layers::grants::{
    Answer, Grant, GrantId, Holder, PendingQuestion, Question, QuestionId, SeenTool, Terms, TrustedTool,
};
use overt_layers::person::{
    Authorised, Channel, ForgetTrust, GiveAnswer, GiveGrant, Person, PersonAction, PersonCheck, RevokeGrant,
    SetTrust, TrustScope, act,
};
use overt_policy::Trust;
use overt_wire::Principal;

/// A person who is always there.
#[derive(Debug, Clone, Copy)]
pub struct AlwaysPerson;

impl PersonCheck for AlwaysPerson {
    type Refusal = Infallible;

    fn person(&self) -> Result<Person, Infallible> {
        Ok(self.anybody())
    }

    fn anybody(&self) -> Person {
        Person { principal: Principal::local(), channel: Channel::Terminal }
    }
}

/// Returns the change as if a person had made it.
pub fn authorised<A: PersonAction>(action: A) -> Authorised<A> {
    let taken = Cell::new(None);
    let acted = act(&AlwaysPerson, &NoLedger, action, |authorised| {
        taken.set(Some(authorised));
        ready(Err::<A::Effect, &str>("the test applies it"))
    });
    let done = pin!(acted).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(done, Poll::Ready(Err(_))), "nothing here waits");
    taken.take().expect("it was authorised")
}

pub fn answering(id: &QuestionId, question: &Question, answer: Answer) -> Authorised<GiveAnswer> {
    let open = PendingQuestion::unlisted(id.clone(), question.clone(), 0);
    authorised(GiveAnswer::elsewhere(&open, answer).expect("the answer is about this question"))
}

pub fn giving(holder: &Holder, terms: Terms) -> Authorised<GiveGrant> {
    authorised(GiveGrant::in_advance(holder.clone(), terms, "for a test"))
}

pub fn revoking(grant: &Grant) -> Authorised<RevokeGrant> {
    authorised(RevokeGrant { grant: grant.clone() })
}

/// Revokes the grant with this id, whatever its terms are.
pub fn revoking_id(id: &GrantId, like: &Grant) -> Authorised<RevokeGrant> {
    revoking(&Grant { id: id.clone(), ..like.clone() })
}

/// Decides about a server. With a name, the decision covers the tool's definition.
pub fn trusting(tool: &TrustedTool, trust: Trust) -> Authorised<SetTrust> {
    let seen = SeenTool { name: tool.tool.clone(), digest: Some(tool.digest.clone()) };
    let seen = Some(seen).filter(|seen| !seen.name.is_empty()).into_iter().collect();
    authorised(SetTrust { server: tool.server.clone(), trust, seen, scope: TrustScope::Server })
}

pub fn forgetting(server: &str, project: Option<&str>) -> Authorised<ForgetTrust> {
    authorised(ForgetTrust { server: server.to_owned(), project: project.map(str::to_owned) })
}
