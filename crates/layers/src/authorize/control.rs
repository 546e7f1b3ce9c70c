//! The policy in force, the store of grants, and the audit log. One value for a whole server;
//! clones share it.
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use overt_policy::setting::SettingValues;

use super::wake::Wakers;
use crate::audit::{Entry, Kind, Ledger, NoLedger};
use crate::configure::Configured;
use crate::grants::{GrantStore, LOCAL, MemoryStore};
use crate::veto::Veto;

/// How long a person who is asked through the client may take.
pub(super) const DIALOG_WAIT: Duration = Duration::from_secs(3_600);

/// Everything that decides about calls.
#[derive(Clone)]
pub struct Control {
    pub(super) ledger: Arc<dyn Ledger>,
    pub(super) grants: Arc<dyn GrantStore>,
    pub(super) vetoes: Vec<Arc<dyn Veto>>,
    snapshot: Arc<RwLock<Arc<PolicySnapshot>>>,
    pub(super) wakers: Wakers,
}

/// What holds until it is replaced as a whole: a call uses one of these from its beginning to its
/// end.
#[derive(Debug)]
pub struct PolicySnapshot {
    /// Names it in the audit log, such as the digest of the file that it was read from.
    pub version: String,
    pub authority: Authority,
    pub rates: Rates,
    pub approval: Approval,
    /// Settings that clients are told of, may configure and narrow; none where an endpoint has its
    /// own.
    pub settings: Option<Settings>,
}

/// Settings, and what they mean.
pub struct Settings {
    pub configured: Configured,
    /// What is in force with other values: those that a client configured or a policy narrowed.
    pub compile: SettingsCompiler,
}

pub type SettingsCompiler = Arc<dyn Fn(&SettingValues) -> PolicySnapshot + Send + Sync>;

/// How often may be called. Every limit is counted for itself: `3/minute` beside `4000/day` allows
/// three at once.
#[derive(Debug, Clone, Default)]
pub struct Rates {
    /// All calls of all clients together.
    pub all: Vec<RateLimit>,
    /// By each caller, each tool; what is declared of the tool or the server holds too.
    pub each: Vec<RateLimit>,
}

/// How people are asked.
#[derive(Debug, Clone, Copy)]
pub struct Approval {
    /// How long a call waits for an answer where the client can't ask. Zero: as long as a person
    /// watches for questions.
    pub wait: Duration,
    /// How long a call waits while a person watches for questions, by the name of its client and by
    /// whether the call asked for progress: a little less than the client waits for the call.
    pub longest_wait: fn(Option<&str>, bool) -> Duration,
    /// Scopes that the client itself says were granted count (H-23). Every client can say so.
    pub trust_grants: bool,
    /// An answer through the client that comes sooner was given by a program and not by a person.
    /// Zero: every answer counts.
    pub quick: Duration,
}

impl Control {
    pub fn new(snapshot: PolicySnapshot) -> Self {
        Self {
            ledger: Arc::new(NoLedger),
            grants: Arc::new(MemoryStore::default()),
            vetoes: Vec::new(),
            snapshot: Arc::new(RwLock::new(Arc::new(snapshot))),
            wakers: Wakers::new(),
        }
    }

    /// Everything is allowed, but for what a client's own policy takes away.
    pub fn open() -> Self {
        Self::new(PolicySnapshot::new(Authority::open()))
    }

    /// Nothing but reading without asking.
    pub fn careful() -> Self {
        Self::new(PolicySnapshot::new(Authority::careful()))
    }

    #[must_use]
    pub fn ledger(self, ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger, ..self }
    }

    #[must_use]
    pub fn grants(self, grants: Arc<dyn GrantStore>) -> Self {
        Self { grants, ..self }
    }

    /// Another check that may refuse.
    #[must_use]
    pub fn veto(mut self, veto: impl Veto) -> Self {
        self.vetoes.push(Arc::new(veto));
        self
    }

    /// Writes down what is in force, before anything is decided by it.
    pub fn begin(&self) {
        self.loaded(&self.snapshot(), "at the start");
    }

    /// From now on another policy is in force. Calls that wait for a person are attempted again
    /// under it; calls that run end as they began.
    pub fn replace(&self, snapshot: PolicySnapshot) {
        self.loaded(&snapshot, "in place of what was in force");
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        self.wakers.wake();
    }

    fn loaded(&self, snapshot: &PolicySnapshot, when: &str) {
        if self.ledger.is_on() {
            self.ledger.note(Entry {
                principal: Some(LOCAL.to_owned()),
                policy_version: Some(snapshot.version.clone()),
                reason: Some(when.to_owned()),
                ..Entry::new(Kind::PolicyLoad)
            });
        }
    }

    pub fn snapshot(&self) -> Arc<PolicySnapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
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
    /// These limits and those.
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
    /// Everything is allowed that the veto does not refuse.
    fn from(veto: V) -> Self {
        Self::open().veto(veto)
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("snapshot", &self.snapshot().version).finish_non_exhaustive()
    }
}
