//! The proof that something was permitted. It can't be made anywhere else, so it can't be forgotten.
use overt_wire::Exchange;

use super::decide::{Policy, Refusal, Verdict, judge};

/// Something that a policy has allowed. Only this crate can make one:
///
/// ```compile_fail,E0451
/// use overt_layers::Permitted;
/// let forged = Permitted { inner: "a call that nobody looked at" };
/// ```
///
/// ```compile_fail,E0624
/// use overt_layers::{AllowAll, Permitted};
/// # fn exchange() -> overt_wire::Exchange { unimplemented!() }
/// let forged = Permitted::ask(&AllowAll, exchange());
/// ```
///
/// With the right way beside it, so that the examples above fail for the right reason:
///
/// ```
/// use overt_layers::{Endpoint, Permitted};
/// use overt_wire::{BoxFuture, Exchange, Message};
/// struct Mine;
/// impl Endpoint for Mine {
///     fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>> {
///         let _message = &exchange.get().message;
///         Box::pin(std::future::ready(None))
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Permitted<T> {
    inner: T,
}

impl Permitted<Exchange> {
    /// Asks the policy. This is the only way to a permit.
    pub(crate) fn ask(policy: &dyn Policy, exchange: Exchange) -> Result<Self, Box<(Exchange, Refusal)>> {
        match judge(policy, &exchange.message) {
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
