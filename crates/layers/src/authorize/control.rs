//! The policy in force, the grant store, and the audit log. One value serves a whole server; clones
//! share it.
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use overt_settings::SettingValues;
use overt_wire::Principal;

use super::wake::Wakers;
use crate::audit::{Entry, Kind, Ledger, NoLedger};
use crate::configure::Configured;
use crate::grants::{MemoryStore, StateStore};
use crate::veto::Veto;

/// How long a person may take to answer in a client's dialog.
pub(super) const DIALOG_WAIT: Duration = Duration::from_secs(3_600);

/// Everything that decisions about calls depend on.
#[derive(Clone)]
pub struct Control {
    pub(super) ledger: Arc<dyn Ledger>,
    pub(super) store: Arc<dyn StateStore>,
    pub(super) vetoes: Vec<Arc<dyn Veto>>,
    in_force: Arc<RwLock<PolicyInForce>>,
    pub(super) wakers: Wakers,
}

/// The policy in force, and the number of policies before it.
struct PolicyInForce {
    snapshot: Arc<PolicySnapshot>,
    revision: u64,
}

/// The policy and settings in force, replaced as a whole. A call uses one snapshot from its
/// beginning to its end.
#[derive(Debug)]
pub struct PolicySnapshot {
    /// Identifies the policy in the audit log, such as by the digest of the file that it was read
    /// from.
    pub version: String,
    pub authority: Authority,
    pub rates: Rates,
    pub approval: Approval,
    /// Settings that clients can see, configure and narrow. `None` if the endpoint has its own.
    pub settings: Option<Settings>,
}

/// Settings, and how they are applied.
pub struct Settings {
    pub configured: Configured,
    /// Returns what is in force with other values: those that a client configured or a policy
    /// narrowed.
    pub compile: SettingsCompiler,
}

pub type SettingsCompiler = Arc<dyn Fn(&SettingValues) -> PolicySnapshot + Send + Sync>;

/// Rate limits. Each limit has its own counter: with `3/minute` and `4000/day`, three calls at once
/// are allowed.
#[derive(Debug, Clone, Default)]
pub struct Rates {
    /// Limits for all calls of all clients together.
    pub all: Vec<RateLimit>,
    /// Limits for each caller and each tool. Limits that the tool or the server declares apply too.
    pub each: Vec<RateLimit>,
}

/// How people are asked.
#[derive(Debug, Clone, Copy)]
pub struct Approval {
    /// How long a call waits for an answer if the client can't ask. Zero: as long as a person
    /// watches for questions.
    pub wait: Duration,
    /// How long a call waits while a person watches for questions, a little less than the client
    /// waits for the call. Depends on the client's name and on whether the call asked for progress.
    pub longest_wait: fn(Option<&str>, bool) -> Duration,
    /// Whether to trust the scopes that the client itself says were granted (H-23). Any client can
    /// claim that.
    pub trust_grants: bool,
    /// An answer through the client that comes sooner than this was given by a program, not by a
    /// person. Zero: every answer counts.
    pub quick: Duration,
}

impl Control {
    pub fn new(snapshot: PolicySnapshot) -> Self {
        Self {
            ledger: Arc::new(NoLedger),
            store: Arc::new(MemoryStore::default()),
            vetoes: Vec::new(),
            in_force: Arc::new(RwLock::new(PolicyInForce { snapshot: Arc::new(snapshot), revision: 0 })),
            wakers: Wakers::new(),
        }
    }

    /// Allows everything except what a client's own policy forbids.
    pub fn open() -> Self {
        Self::new(PolicySnapshot::new(Authority::open()))
    }

    /// Allows only reading without a question.
    pub fn careful() -> Self {
        Self::new(PolicySnapshot::new(Authority::careful()))
    }

    #[must_use]
    pub fn ledger(self, ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger, ..self }
    }

    #[must_use]
    pub fn store(self, store: Arc<dyn StateStore>) -> Self {
        Self { store, ..self }
    }

    /// Adds another check that can refuse calls.
    #[must_use]
    pub fn veto(mut self, veto: impl Veto) -> Self {
        self.vetoes.push(Arc::new(veto));
        self
    }

    /// Records the policy in force. Call it before the first decision.
    pub fn begin(&self) {
        self.loaded(&self.snapshot(), "at the start");
    }

    /// Puts another policy in force. Calls that wait for a person are attempted again under it;
    /// running calls end as they began.
    pub fn replace(&self, snapshot: PolicySnapshot) {
        self.loaded(&snapshot, "in place of what was in force");
        {
            let mut in_force = self.in_force.write().unwrap_or_else(PoisonError::into_inner);
            let revision = in_force.revision + 1;
            *in_force = PolicyInForce { snapshot: Arc::new(snapshot), revision };
        }
        self.wakers.wake();
    }

    fn loaded(&self, snapshot: &PolicySnapshot, when: &str) {
        if self.ledger.is_on() {
            self.ledger.note(Entry {
                principal: Some(Principal::local().key()),
                policy_version: Some(snapshot.version.clone()),
                reason: Some(when.to_owned()),
                ..Entry::new(Kind::PolicyLoad)
            });
        }
    }

    pub fn snapshot(&self) -> Arc<PolicySnapshot> {
        Arc::clone(&self.in_force.read().unwrap_or_else(PoisonError::into_inner).snapshot)
    }

    /// Returns the number of policies that were in force before.
    pub(super) fn policy_revision(&self) -> u64 {
        self.in_force.read().unwrap_or_else(PoisonError::into_inner).revision
    }
}

impl PolicySnapshot {
    pub fn new(authority: Authority) -> Self {
        Self {
            version: "built-in".to_owned(),
            authority,
            rates: Rates::default(),
            approval: Approval {
                wait: Duration::ZERO,
                longest_wait: |_, _| DIALOG_WAIT,
                trust_grants: false,
                quick: Duration::ZERO,
            },
            settings: None,
        }
    }
}

impl Rates {
    /// Returns the limits of both.
    #[must_use]
    pub(super) fn and(mut self, others: &Self) -> Self {
        self.all.extend(&others.all);
        self.each.extend(&others.each);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.each.is_empty()
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("configured", &self.configured).finish_non_exhaustive()
    }
}

impl<V: Veto> From<V> for Control {
    /// Allows everything that the veto does not refuse.
    fn from(veto: V) -> Self {
        Self::open().veto(veto)
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("snapshot", &self.snapshot().version).finish_non_exhaustive()
    }
}
