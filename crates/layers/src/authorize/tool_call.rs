//! A tool call as the client made it.
use overt_policy::scope::Scope;
use overt_wire::Exchange;
use overt_wire::json::Json;

use super::approved::Approved;
use super::effective::EffectivePolicy;
use super::request_options::RequestOptions;
use super::server_scopes::with_granted;
use super::uncounted::Uncounted;
use crate::content_digest::ContentDigest;
use crate::grants::Holder;
use crate::preview::Preview;

/// A call as the client made it.
pub(super) struct ToolCall {
    /// Without our own state, if the client came back with it.
    pub(super) exchange: Exchange,
    pub(super) tool: String,
    /// Who may use what is granted for it.
    pub(super) holder: Holder,
    /// What was approved, if it was permitted before and the server asked the client something
    /// meanwhile.
    pub(super) approved: Option<Approved>,
    /// What the upstream asked for when it was called the first time. The call is made once more if
    /// a person grants it.
    pub(super) server_scopes: Vec<Scope>,
    /// The client answered a question of this call by itself, so it is not asked again.
    pub(super) uncounted: Option<Uncounted>,
}

impl ToolCall {
    /// The digest of the arguments as they were written. Agreeing to see what would change is not
    /// agreeing to the change.
    pub(super) fn arguments_digest(&self, preview: Preview) -> String {
        let written = self.exchange.message.params().get("arguments").value();
        let mode = if preview == Preview::Yes { "preview" } else { "" };
        ContentDigest::of_parts(&[written.map_or("", Json::as_str), mode]).to_base64()
    }

    /// The request without what was for Overt alone, and with what a person granted the upstream.
    pub(super) fn onward(&self, effective: &EffectivePolicy) -> Exchange {
        let trusts = effective.snapshot.approval.trust_grants;
        let message = RequestOptions::without(&self.exchange.message, trusts);
        Exchange { message: with_granted(message, &self.server_scopes), ..self.exchange.clone() }
    }
}
