//! The holder of what is kept for a request, such as grants and tasks.
use overt_wire::json::JsonBuf;
use overt_wire::{Exchange, Session};

use crate::content_digest::ContentDigest;
use crate::grants::{Holder, HolderClient};

/// Returns the holder that a request acts for. Without a session it stands for all clients of this
/// name and version, so that a yes for one call counts when the same call is made again.
pub(super) fn holder_of(exchange: &Exchange) -> Holder {
    let profile = || HolderClient::Profile(profile_digest(exchange));
    Holder {
        principal: exchange.principal().clone(),
        client: session_client(&exchange.session).unwrap_or_else(profile),
    }
}

/// Returns the holder of a session. `None` if several clients share the session.
pub(super) fn holder_of_session(session: &Session) -> Option<Holder> {
    let client = session_client(session)?;
    Some(Holder { principal: session.principal().clone(), client })
}

fn session_client(session: &Session) -> Option<HolderClient> {
    let digest = || ContentDigest::of_parts(&["session", session.id()]).to_base64();
    session.is_one_client().then(|| HolderClient::Session(digest()))
}

/// Distinguishes clients without a session by the name and version that they report.
fn profile_digest(exchange: &Exchange) -> String {
    let digest = |info: &JsonBuf| ContentDigest::of_parts(&["client", info.as_str()]).to_base64();
    exchange.caller.info.as_ref().map_or_else(String::new, digest)
}
