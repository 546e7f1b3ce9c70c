//! The settings that apply to every client, and the settings that result when a client sends a
//! configuration.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use overt_policy::Policy;
use overt_settings::{ReplacementRight, SettingValues, Source};
use overt_wire::json::JsonBuf;
use overt_wire::{ErrorObject, Exchange};

use super::client::{client_configuration, refused, table};
use super::upstream::Foreign;

/// What a client's configuration may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConfigurationRights {
    /// A client that started the program itself (stdio) may replace ordinary settings, as it could
    /// have with flags. A client that connects over a network may only narrow them. Each setting
    /// declares whether it is more than ordinary.
    #[default]
    ByTransport,
    /// Every client may replace values.
    Trusted,
}

/// Settings with their values. They are built once and replaced as a whole.
#[derive(Debug)]
pub struct Configured {
    values: SettingValues,
    clients: ConfigurationRights,
    /// The limit of every client's configuration.
    ceiling: Policy,
    /// Built on first use.
    schema: OnceLock<JsonBuf>,
    /// Configurations that clients sent, by their text, and the resulting settings. A modern client
    /// sends the same configuration with each request.
    cache: Mutex<HashMap<(bool, String), CachedConfiguration>>,
}

/// The settings that result from one configuration.
#[derive(Debug, Clone)]
struct CachedConfiguration {
    values: Arc<SettingValues>,
    /// The members of the configuration that are for the upstream.
    foreign: Arc<[String]>,
}

/// The most configurations that are remembered. At the limit all of them are forgotten and computed
/// again.
const MOST_CACHED: usize = 64;

impl Configured {
    pub fn new(values: SettingValues, clients: ConfigurationRights) -> Self {
        Self { values, clients, ceiling: Policy::top(), schema: OnceLock::new(), cache: Mutex::default() }
    }

    /// Caps these settings by the operator's own policy.
    #[must_use]
    pub fn under(self, ceiling: Policy) -> Self {
        Self { values: self.values.capped_by(&ceiling), ceiling, ..self }
    }

    /// Returns the values without any client's configuration.
    pub fn base(&self) -> &SettingValues {
        &self.values
    }

    /// Returns the schema that clients see.
    pub fn schema(&self) -> &JsonBuf {
        let schema = || JsonBuf::of(&self.values.declared().schema());
        // The schema has only strings, numbers and lists, so writing it cannot fail.
        self.schema.get_or_init(|| schema().unwrap_or_else(|_| JsonBuf::empty_object()))
    }

    /// Returns whether a client's configuration has a member that is not one of Overt's settings.
    pub(crate) fn has_foreign_members(&self, exchange: &Exchange) -> bool {
        let sent = client_configuration(&exchange.caller);
        sent.is_some_and(|sent| sent.members().any(|(name, _)| !self.declares(&name.name())))
    }

    fn declares(&self, name: &str) -> bool {
        self.values.declared().get(name).is_some()
    }

    /// Returns whether this client's configuration may replace values instead of only narrowing
    /// them.
    pub(crate) fn may_replace(&self, exchange: &Exchange) -> bool {
        self.clients == ConfigurationRights::Trusted || exchange.reached_at.is_none()
    }

    fn trust(&self) -> ReplacementRight {
        match self.clients {
            ConfigurationRights::ByTransport => ReplacementRight::Started,
            ConfigurationRights::Trusted => ReplacementRight::Operator,
        }
    }

    /// Returns the values for this client. They never depend on what it sent before: a refused
    /// value is not accepted later, and configurations do not add up (POL-13). `foreign` says which
    /// members are for the upstream.
    pub(crate) fn of(
        &self,
        exchange: &Exchange,
        foreign: &Foreign,
    ) -> Result<Arc<SettingValues>, ErrorObject> {
        let Some(sent) = client_configuration(&exchange.caller) else {
            return Ok(Arc::new(self.values.clone()));
        };
        let may_replace = self.may_replace(exchange);
        let key = (may_replace, sent.as_str().to_owned());
        let seen = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(seen) = seen.filter(|seen| seen.foreign.iter().all(|name| foreign.has(name))) {
            return Ok(seen.values);
        }
        let mut table = table(sent)?;
        let for_upstream: Arc<[String]> =
            table.keys().filter(|name| !self.declares(name) && foreign.has(name)).cloned().collect();
        table.retain(|name, _| !for_upstream.contains(name));
        let values = match may_replace {
            true => self.values.configured_by(&table, self.trust()),
            false => self.values.narrowed_by(&table, Source::Configuration),
        };
        let values = Arc::new(values.map_err(refused)?.capped_by(&self.ceiling));
        let mut seen = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_CACHED {
            seen.clear();
        }
        seen.insert(key, CachedConfiguration { values: Arc::clone(&values), foreign: for_upstream });
        Ok(values)
    }
}
