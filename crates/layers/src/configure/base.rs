//! The values that hold for every client, and for one that sends a configuration what that leaves
//! of them.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use overt_policy::Policy;
use overt_policy::setting::{SettingValues, Source, Trust};
use overt_wire::json::JsonBuf;
use overt_wire::{ErrorObject, Exchange};

use super::client::{client_configuration, refused, table};
use super::upstream::Foreign;

/// What a configuration that comes from a client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clients {
    /// One that started the program itself (stdio) replaces ordinary settings, as it could have
    /// with flags. One that came over a network can only narrow them. Each setting says whether it
    /// is more than ordinary.
    #[default]
    ByTransport,
    /// Every client replaces what holds.
    Trusted,
}

/// Settings with their values, made once and replaced as a whole.
#[derive(Debug)]
pub struct Configured {
    values: SettingValues,
    clients: Clients,
    /// Whatever a client sets, it does not pass this.
    ceiling: Policy,
    /// Written when it is first asked for.
    schema: OnceLock<JsonBuf>,
    /// What clients sent, by its text, and the settings that it led to. A client of the newer era
    /// sends the same with each request.
    seen: Mutex<HashMap<(bool, String), SeenConfiguration>>,
}

/// The settings that one configuration led to.
#[derive(Debug, Clone)]
struct SeenConfiguration {
    values: Arc<SettingValues>,
    /// Its members that are for the server behind us.
    foreign: Arc<[String]>,
}

/// With more than that all are worked out again.
const MOST_SEEN: usize = 64;

impl Configured {
    pub fn new(values: SettingValues, clients: Clients) -> Self {
        Self { values, clients, ceiling: Policy::top(), schema: OnceLock::new(), seen: Mutex::default() }
    }

    /// These settings under the operator's own policy.
    #[must_use]
    pub fn under(self, ceiling: Policy) -> Self {
        Self { values: self.values.capped_by(&ceiling), ceiling, ..self }
    }

    /// The values without any client's configuration.
    pub fn base(&self) -> &SettingValues {
        &self.values
    }

    /// What is published.
    pub fn schema(&self) -> &JsonBuf {
        let schema = || JsonBuf::of(&self.values.declared().schema());
        // Strings, numbers and lists only: it can be written.
        self.schema.get_or_init(|| schema().unwrap_or_else(|_| JsonBuf::empty_object()))
    }

    /// Whether a client's configuration has a member that is not a setting of ours.
    pub(crate) fn has_foreign_members(&self, exchange: &Exchange) -> bool {
        let sent = client_configuration(&exchange.caller);
        sent.is_some_and(|sent| sent.members().any(|(name, _)| !self.declares(&name.name())))
    }

    fn declares(&self, name: &str) -> bool {
        self.values.declared().get(name).is_some()
    }

    /// Whether the configuration of this client replaces values, and does not only narrow them.
    pub(crate) fn may_replace(&self, exchange: &Exchange) -> bool {
        self.clients == Clients::Trusted || exchange.reached_at.is_none()
    }

    fn trust(&self) -> Trust {
        match self.clients {
            Clients::ByTransport => Trust::Started,
            Clients::Trusted => Trust::Operator,
        }
    }

    /// The values that hold for this client. They never depend on what it sent before: a refused
    /// value is not accepted later, and nothing adds up (POL-13). `foreign` says which members are
    /// for the server behind us.
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
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
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
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_SEEN {
            seen.clear();
        }
        seen.insert(key, SeenConfiguration { values: Arc::clone(&values), foreign: for_upstream });
        Ok(values)
    }
}
