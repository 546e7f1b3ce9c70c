//! What holds for one request: what is in force, what the client configured, and what its policy leaves of both.
use std::sync::Arc;

use overt_spec::Pointer;
use overt_spec::mark::request as mark;
use overt_spec::setting::{Author, Refused, Values};
use overt_spec::word::Word;
use overt_wire::json::Json;
use overt_wire::{ErrorObject, Exchange};

use super::control::{InForce, Settings};
use super::layer::Authorize;
use super::wishes::{Wishes, refused};
use crate::Endpoint;
use crate::configure::client_configuration;

/// The ground on which a request is decided.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) in_force: Arc<InForce>,
    pub(super) wishes: Wishes,
    /// What settings are worth in this request; none where there are none.
    pub(super) values: Option<Values>,
}

impl<E: Endpoint> Authorize<E> {
    /// Reads what the client configured and what the request wishes. Whatever is wrong with either refuses the request.
    pub(super) fn ground(&self, exchange: &Exchange) -> Result<Ground, ErrorObject> {
        let mut in_force = self.control.in_force();
        let meta = exchange.message.meta();
        let author = match meta.get(mark::POLICY_SOURCE).string() {
            // Only the host can know whether a person wrote it; what it does not say was not.
            Some(word) => Author::parse(&word).unwrap_or(Author::Llm),
            None => Author::Llm,
        };
        let mut values = self.values(exchange, &in_force)?;
        let configured = client_configuration(&exchange.caller).is_some();
        if let (true, Some(values), Some(settings)) = (configured, &values, &in_force.settings) {
            in_force = meant(settings, values, &in_force.version);
        }
        let wishes = Wishes::read(&exchange.message, &in_force, values.as_deref(), author)?;
        let mut narrowed = None;
        let is_chain = meta.get(mark::POLICY).value().is_some_and(Json::is_array);
        for (index, fragment) in
            wishes.policy.iter().enumerate().filter(|(_, fragment)| !fragment.domain.is_empty())
        {
            let at = if is_chain { Pointer::root().index(index) } else { Pointer::root() };
            if let Some(before) = &values {
                let after =
                    before.narrowed_by_policy(fragment, author).map_err(|wrong| refuse(wrong, &at))?;
                values = Some(Arc::new(after));
                narrowed.clone_from(&values);
            }
        }
        if let (Some(values), Some(settings)) = (&narrowed, &in_force.settings) {
            in_force = meant(settings, values, &in_force.version);
        }
        Ok(Ground { in_force, wishes, values: values.map(|values| (*values).clone()) })
    }

    /// What settings are worth for this client.
    pub(super) fn values(
        &self,
        exchange: &Exchange,
        in_force: &InForce,
    ) -> Result<Option<Arc<Values>>, ErrorObject> {
        match (&in_force.settings, &self.configured) {
            (Some(settings), _) => settings.configured.of(exchange).map(Some),
            (None, Some(configured)) => configured.of(exchange).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// The same rules and settings under the same name, with what a client made of them.
fn meant(settings: &Settings, values: &Values, version: &str) -> Arc<InForce> {
    Arc::new(InForce { version: version.to_owned(), ..(settings.means)(values) })
}

/// `at` is where the policy stands in its chain.
fn refuse(wrong: Refused, at: &Pointer) -> ErrorObject {
    let kind = if wrong.invalid.is_empty() { "policy_expansion" } else { "policy_invalid" };
    refused(&wrong.into_findings().below(at), kind)
}
