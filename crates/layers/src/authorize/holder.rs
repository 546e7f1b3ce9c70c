//! The holder of grants and tasks: the client's session, or its name and version if there is no
//! session.
use overt_wire::json::JsonBuf;
use overt_wire::{Exchange, Session};

use crate::content_digest::ContentDigest;
use crate::grants::{Holder, LOCAL};

/// Returns the holder that a request acts for.
pub(super) fn holder_of(exchange: &Exchange) -> Holder {
    let holder = holder_of_session(&exchange.session);
    match holder.session.is_empty() {
        true => holder.or_of_client(&client_digest(exchange)),
        false => holder,
    }
}

/// Returns the holder of a session. Its `session` is empty if several clients share the session.
pub(super) fn holder_of_session(session: &Session) -> Holder {
    let session = match session.is_one_client() {
        true => ContentDigest::of_parts(&["session", session.id()]).to_base64(),
        false => String::new(),
    };
    Holder { principal: LOCAL.to_owned(), session }
}

/// Distinguishes clients without a session by the name and version that they report.
fn client_digest(exchange: &Exchange) -> String {
    let digest = |info: &JsonBuf| ContentDigest::of_parts(&["client", info.as_str()]).to_base64();
    exchange.caller.info.as_ref().map_or_else(String::new, digest)
}
