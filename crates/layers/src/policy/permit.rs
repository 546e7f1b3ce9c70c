//! The proof that something was permitted. It can't be made anywhere else, so it can't be forgotten.
use overt_wire::Exchange;

use super::decide::{Policy, Refusal, Verdict, asked};

/// Something that a policy has allowed.
#[derive(Debug)]
pub struct Permitted<T> {
    inner: T,
}

impl Permitted<Exchange> {
    /// Asks the policy. This is the only way to a permit.
    pub(crate) fn ask(policy: &dyn Policy, exchange: Exchange) -> Result<Self, Box<(Exchange, Refusal)>> {
        match asked(&exchange, |ask| policy.decide(ask)) {
            Verdict::Allow => Ok(Self { inner: exchange }),
            Verdict::Refuse(refusal) => Err(Box::new((exchange, refusal))),
        }
    }
}

impl<T> Permitted<T> {
    pub fn get(&self) -> &T {
        &self.inner
    }

    pub fn into_inner(self) -> T {
        self.inner
    }
}
