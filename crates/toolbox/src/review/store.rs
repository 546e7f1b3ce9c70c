//! Keeps artifacts for a while, within limits per session and in total. The least recently used are
//! dropped first.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_settings::SettingValues;
use overt_wire::Session;
use serde_json::Value;
use tokio::time::Instant;

use super::facts::Origin;
use super::offload::Offload;
use overt_layers::seal::random_name;

/// The page and diff of one call, with what decides who may read them.
#[derive(Debug)]
pub(super) struct Artifact {
    pub(super) tool: String,
    pub(super) arguments: Arc<Value>,
    /// The settings of the call. A caller with narrower settings may not read the artifact (B-09).
    pub(super) settings: Option<SettingValues>,
    pub(super) diff: String,
    pub(super) page: String,
    /// The session in which the call was made. `None` if clients have no session. Then the address
    /// is the only protection: it can't be guessed.
    pub(super) owner: Option<String>,
}

/// All artifacts of a server.
#[derive(Debug)]
pub(in super::super) struct Artifacts {
    origin: Origin,
    offload: Offload,
    lifetime: Duration,
    kept: Mutex<ReviewEntries>,
}

#[derive(Debug, Default)]
struct ReviewEntries {
    entries: HashMap<String, StoredArtifact>,
    /// Incremented with each use, to find the least recently used entry.
    clock: u64,
}

#[derive(Debug)]
struct StoredArtifact {
    artifact: Arc<Artifact>,
    bytes: usize,
    expires: Instant,
    used: u64,
}

/// How long artifacts are kept by default: enough time to look at a change and decide.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// The longest lifetime that can be configured.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The most artifacts of one session.
const PER_SESSION: usize = 100;
/// The most artifacts of all clients without a session, so that they don't displace those of
/// sessions.
const WITHOUT_SESSION: usize = 500;
/// The most artifacts in total.
const MOST_ARTIFACTS: usize = 1000;
/// The most bytes in total: many ordinary changes, or a few very large ones.
const MOST_BYTES: usize = 16 << 20;
/// The most bytes of arguments with which a call's changes are kept. The arguments are kept because
/// they decide who may read the artifact.
const MOST_ARGUMENTS: usize = 1 << 20;

impl Artifacts {
    /// Makes an empty store. `origin` is the server whose calls are shown.
    pub(in super::super) fn new(origin: Origin, lifetime: Option<Duration>) -> Arc<Self> {
        let lifetime = lifetime.unwrap_or(LIFETIME).min(LONGEST);
        Arc::new(Self { origin, offload: Offload::default(), lifetime, kept: Mutex::default() })
    }

    /// Returns the runner that compares large texts.
    pub(in super::super) fn offload(&self) -> &Offload {
        &self.offload
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// Keeps an artifact and returns the name in its addresses. Returns `None` if the arguments of
    /// the call are too large to keep (I-12).
    pub(super) fn keep(&self, artifact: Artifact) -> Option<String> {
        if size(&artifact.arguments) > MOST_ARGUMENTS {
            return None;
        }
        let name = random_name();
        let mut kept = self.lock();
        kept.forget_expired();
        let owner = artifact.owner.clone();
        let most = if owner.is_some() { PER_SESSION } else { WITHOUT_SESSION };
        while kept.entries.values().filter(|entry| entry.artifact.owner == owner).count() >= most {
            kept.forget_oldest(|artifact| artifact.owner == owner);
        }
        let bytes = artifact.bytes();
        while !kept.entries.is_empty()
            && (kept.entries.len() >= MOST_ARTIFACTS || kept.bytes() + bytes > MOST_BYTES)
        {
            kept.forget_oldest(|_| true);
        }
        let used = kept.tick();
        let expires = Instant::now() + self.lifetime;
        kept.entries
            .insert(name.clone(), StoredArtifact { artifact: Arc::new(artifact), bytes, expires, used });
        Some(name)
    }

    /// Returns the artifact with this name, of any session.
    pub(super) fn find(&self, name: &str) -> Option<Arc<Artifact>> {
        let mut kept = self.lock();
        kept.forget_expired();
        let used = kept.tick();
        let entry = kept.entries.get_mut(name)?;
        entry.used = used;
        Some(Arc::clone(&entry.artifact))
    }

    /// Returns the artifact with this name, if the session may read it.
    pub(super) fn find_for(&self, name: &str, session: &Session) -> Option<Arc<Artifact>> {
        let artifact = self.find(name)?;
        artifact.owner.as_deref().is_none_or(|owner| owner == session.id()).then_some(artifact)
    }

    /// Returns the artifacts of a session, from the oldest to the newest.
    pub(super) fn of(&self, session: &Session) -> Vec<(String, Arc<Artifact>)> {
        let mut kept = self.lock();
        kept.forget_expired();
        let mine =
            kept.entries.iter().filter(|(_, entry)| entry.artifact.owner.as_deref() == Some(session.id()));
        let mut mine: Vec<_> = mine.collect();
        mine.sort_by_key(|(_, entry)| entry.expires);
        mine.into_iter().map(|(name, entry)| (name.clone(), Arc::clone(&entry.artifact))).collect()
    }

    /// Drops the artifacts of a session that has ended.
    pub(in super::super) fn closed(&self, session: &Session) {
        self.lock().entries.retain(|_, entry| entry.artifact.owner.as_deref() != Some(session.id()));
    }

    fn lock(&self) -> MutexGuard<'_, ReviewEntries> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Artifact {
    /// Whether `settings` restrict nothing more than the settings of the call did.
    pub(super) fn is_shown_under(&self, settings: Option<&SettingValues>) -> bool {
        overt_layers::shows_all_of(settings, self.settings.as_ref())
    }

    fn bytes(&self) -> usize {
        // In memory, the arguments are about as large as their text in the message.
        self.diff.len() + self.page.len() + size(&self.arguments)
    }
}

impl ReviewEntries {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|entry| entry.bytes).sum()
    }

    fn forget_expired(&mut self) {
        let now = Instant::now();
        self.entries.retain(|_, entry| entry.expires > now);
    }

    fn forget_oldest(&mut self, among: impl Fn(&Artifact) -> bool) {
        let candidates = self.entries.iter().filter(|(_, entry)| among(&entry.artifact));
        if let Some(name) = candidates.min_by_key(|(_, entry)| entry.used).map(|(name, _)| name.clone()) {
            self.entries.remove(&name);
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 16,
        Value::String(text) => text.len() + 16,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 16,
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + 16 + size(value)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use overt_wire::NoClient;
    use overt_wire::Principal;

    use super::*;

    fn artifact(owner: Option<&str>, bytes: usize) -> Artifact {
        Artifact {
            tool: "t".into(),
            arguments: Arc::new(Value::Null),
            settings: None,
            diff: "x".repeat(bytes),
            page: String::new(),
            owner: owner.map(Into::into),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn artifacts_expire_and_belong_to_somebody() {
        let artifacts = Artifacts::new(Origin::default(), Some(Duration::from_secs(60)));
        let session = Session::new("a".into(), Principal::local(), Arc::new(NoClient));
        let other = Session::new("b".into(), Principal::local(), Arc::new(NoClient));
        let mine = artifacts.keep(artifact(Some("a"), 1)).unwrap();
        let anybodys = artifacts.keep(artifact(None, 1)).unwrap();
        assert!(artifacts.find_for(&mine, &session).is_some());
        assert!(artifacts.find_for(&mine, &other).is_none());
        assert!(artifacts.find_for(&anybodys, &other).is_some());
        assert_eq!(artifacts.of(&session).len(), 1);
        assert!(artifacts.of(&other).is_empty());
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(artifacts.find(&mine).is_none());
        assert!(artifacts.of(&session).is_empty());
        let mine = artifacts.keep(artifact(Some("a"), 1)).unwrap();
        artifacts.closed(&session);
        assert!(artifacts.find(&mine).is_none());
    }

    #[tokio::test]
    async fn the_least_recently_used_go_first() {
        let artifacts = Artifacts::new(Origin::default(), None);
        let first = artifacts.keep(artifact(Some("a"), 1)).unwrap();
        let second = artifacts.keep(artifact(Some("a"), 1)).unwrap();
        let others = artifacts.keep(artifact(Some("b"), 1)).unwrap();
        for _ in 0..PER_SESSION - 1 {
            assert!(artifacts.find(&first).is_some());
            artifacts.keep(artifact(Some("a"), 1)).unwrap();
        }
        assert!(artifacts.find(&second).is_none());
        assert!(artifacts.find(&others).is_some());
        for _ in 0..4 {
            artifacts.keep(artifact(Some("c"), MOST_BYTES / 3)).unwrap();
        }
        assert!(artifacts.find(&others).is_none());
        assert!(artifacts.lock().bytes() <= MOST_BYTES);
    }

    /// I-12: a large call is not held in memory just so that people can look at its changes.
    #[tokio::test]
    async fn i_12_the_arguments_of_a_large_call_are_not_kept() {
        let artifacts = Artifacts::new(Origin::default(), None);
        let of =
            |bytes| Artifact { arguments: Arc::new(Value::from("x".repeat(bytes))), ..artifact(None, 1) };
        assert!(artifacts.keep(of(MOST_ARGUMENTS)).is_none());
        assert!(artifacts.keep(of(MOST_ARGUMENTS - 16)).is_some());
        assert_eq!(artifacts.lock().entries.len(), 1);
    }
}
