//! Applies the trust that the user's file gives a server, as `overt trust` would. A later `overt
//! trust` wins until the file changes.
use std::convert::Infallible;
use std::fs::{self, DirBuilder};
use std::future::ready;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::task::{Context, Poll, Waker};

use overt_layers::audit::NoLedger;
use overt_layers::grants::{StoreError, ToolTrust, TrustedServer};
use overt_layers::person::{Channel, NotDone, Person, PersonCheck, act};
use overt_operator::decisions::trust_in;
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use overt_wire::hex::hex;
use sha2::{Digest as _, Sha256};

use crate::settings::FileTrust;

/// Writes the file's decision to the store, unless it was written before.
pub(super) fn apply(decision: &FileTrust, store: &SqliteStore) {
    if let Err(error) = try_apply(decision, store) {
        tracing::warn!("what overt.toml says about the server does not count: {error}");
    }
}

/// Returns what the file's decision says about a tool, by the digest of its definition, if the
/// store does not have the decision yet. It takes effect when the server next starts.
pub(super) fn not_applied_to(
    tool: &str,
    digest: &str,
    decision: &FileTrust,
    store: Option<&SqliteStore>,
) -> Result<Option<ToolTrust>, StoreError> {
    let is_shown =
        decision.shown.iter().any(|shown| shown.name == tool && shown.digest.as_deref() == Some(digest));
    Ok((!is_applied(decision, store)?).then_some(match is_shown {
        true => ToolTrust::Shown(decision.trust),
        false => ToolTrust::NotShown(decision.trust),
    }))
}

fn is_applied(decision: &FileTrust, store: Option<&SqliteStore>) -> Result<bool, StoreError> {
    let project = decision.project.as_deref();
    let is_this = |known: &TrustedServer| {
        known.principal == Principal::local()
            && known.server == decision.server
            && known.project.as_deref() == project
    };
    let is_known = store.map_or_else(|| Ok(Vec::new()), SqliteStore::trusted)?.iter().any(is_this);
    Ok(is_known && applied(decision).as_deref() == Some(&*written(decision)))
}

fn try_apply(decision: &FileTrust, store: &SqliteStore) -> Result<(), StoreError> {
    if is_applied(decision, Some(store))? {
        return Ok(());
    }
    let setting = trust_in(&decision.server, decision.project.as_deref(), decision.trust, &decision.shown);
    // The decision was recorded when it was written to the file.
    let set = std::pin::pin!(act(&UserFile, &NoLedger, setting, |trust| ready(store.set_trust(&trust))));
    match set.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(_)) => {}
        Poll::Ready(Err(NotDone::Failed(error))) => return Err(error),
        Poll::Ready(Err(_)) | Poll::Pending => {
            return Err(StoreError { why: "the decision was not made".to_owned() });
        }
    }
    let kept = remember(decision, &written(decision));
    kept.map_err(|error| StoreError { why: format!("it can't be remembered: {error}") })
}

/// Returns the text that is kept of a decision that was written to the store.
fn written(decision: &FileTrust) -> String {
    let shown = serde_json::json!(decision.shown).to_string();
    format!("{} {}", decision.trust, hex(&Sha256::digest(shown.as_bytes())[..8]))
}

/// Returns the decision of the file that was last written to the store.
fn applied(decision: &FileTrust) -> Option<String> {
    fs::read_to_string(path(decision)).ok().map(|level| level.trim().to_owned())
}

fn remember(decision: &FileTrust, level: &str) -> io::Result<()> {
    let path = path(decision);
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::write(path, level)
}

fn path(decision: &FileTrust) -> PathBuf {
    let text = format!("{}\0{}", decision.server, decision.project.as_deref().unwrap_or_default());
    let digest = Sha256::digest(text.as_bytes());
    decision.state.join("wrap/trust").join(hex(&digest[..8]))
}

/// The person's own file, which only the person writes.
struct UserFile;

impl PersonCheck for UserFile {
    type Refusal = Infallible;

    fn person(&self) -> Result<Person, Infallible> {
        Ok(self.anybody())
    }

    fn anybody(&self) -> Person {
        Person { principal: Principal::local(), channel: Channel::File }
    }
}
