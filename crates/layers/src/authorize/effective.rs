//! The policy in force for one request: the operator's, with the client's configuration, narrowed
//! by the request's own policy.
use std::sync::Arc;

use overt_policy::Pointer;
use overt_policy::mark::request as mark;
use overt_policy::word::StringEnum;
use overt_settings::{Author, OverlayRefusal, SettingValues};
use overt_wire::json::Json;
use overt_wire::{ErrorObject, Exchange};

use super::control::PolicySnapshot;
use super::layer::Authorize;
use super::request_options::{RequestOptions, refused};
use crate::configure::{Configured, Foreign, client_configuration};

/// The policy in force for one request.
#[derive(Debug)]
pub(super) struct EffectivePolicy {
    pub(super) snapshot: Arc<PolicySnapshot>,
    /// The policy in force without the request's own policy. Rate limits are counted by it,
    /// whatever the request's policy says.
    pub(super) before_policy: Arc<PolicySnapshot>,
    pub(super) options: RequestOptions,
    /// The values of the settings in this request. `None` if there are no settings.
    pub(super) values: Option<SettingValues>,
}

impl Authorize {
    /// Reads the client's configuration and the request's options. An error in either refuses the
    /// request.
    pub(super) fn effective(&self, exchange: &Exchange) -> Result<EffectivePolicy, ErrorObject> {
        let common = self.control.snapshot();
        let meta = exchange.message.meta();
        let author = match meta.get(mark::POLICY_SOURCE).string() {
            // Only the host can know whether a person wrote the policy. Without that statement it
            // counts as the model's.
            Some(word) => Author::parse(&word).unwrap_or(Author::Llm),
            None => Author::Llm,
        };
        let foreign = self.foreign();
        let mut values = self.values(exchange, &common, &foreign)?;
        let meant = |values: &SettingValues| match &common.settings {
            // The version stays the same: these are the operator's rules and settings with a
            // client's values.
            Some(settings) => {
                Arc::new(PolicySnapshot { version: common.version.clone(), ..(settings.compile)(values) })
            }
            None => Arc::clone(&common),
        };
        let before_policy = match (&values, &common.settings) {
            (Some(values), Some(settings)) if client_configuration(&exchange.caller).is_some() => {
                let configured = (settings.compile)(values);
                // A client that can only narrow counts against the limits of all clients and
                // against its own.
                let rates = match settings.configured.may_replace(exchange) {
                    true => configured.rates,
                    false => configured.rates.and(&common.rates),
                };
                Arc::new(PolicySnapshot { version: common.version.clone(), rates, ..configured })
            }
            _ => Arc::clone(&common),
        };
        let options =
            RequestOptions::read(&exchange.message, &before_policy, values.as_deref(), author, &foreign)?;
        let mut narrowed = None;
        let is_chain = meta.get(mark::POLICY).value().is_some_and(Json::is_array);
        for (index, fragment) in
            options.policy.iter().enumerate().filter(|(_, fragment)| !fragment.domain.is_empty())
        {
            let at = if is_chain { Pointer::root().index(index) } else { Pointer::root() };
            if let Some(before) = &values {
                let after =
                    before.narrowed_by_policy(fragment, author).map_err(|wrong| refuse(wrong, &at))?;
                values = Some(Arc::new(after));
                narrowed.clone_from(&values);
            }
        }
        let snapshot =
            narrowed.map_or_else(|| Arc::clone(&before_policy), |values: Arc<SettingValues>| meant(&values));
        Ok(EffectivePolicy {
            snapshot,
            before_policy,
            options,
            values: values.map(|values| (*values).clone()),
        })
    }

    /// Returns the values of the settings for this client.
    pub(super) fn values(
        &self,
        exchange: &Exchange,
        snapshot: &PolicySnapshot,
        foreign: &Foreign,
    ) -> Result<Option<Arc<SettingValues>>, ErrorObject> {
        self.configured_in(snapshot).map(|configured| configured.of(exchange, foreign)).transpose()
    }

    /// Returns the settings that clients can see and configure.
    pub(super) fn configured_in<'a>(&'a self, snapshot: &'a PolicySnapshot) -> Option<&'a Configured> {
        snapshot.settings.as_ref().map(|settings| &settings.configured).or(self.configured.as_ref())
    }
}

/// Returns the error for a policy that the settings refuse. `at` is the place of the policy in its
/// chain.
fn refuse(wrong: OverlayRefusal, at: &Pointer) -> ErrorObject {
    let kind = if wrong.invalid.is_empty() { "policy_expansion" } else { "policy_invalid" };
    refused(&wrong.into_findings().below(at), kind)
}
