//! A tool call as the client made it.
use overt_policy::scope::Scope;
use overt_wire::Exchange;
use overt_wire::json::Json;

use super::effective::EffectivePolicy;
use super::request_options::RequestOptions;
use super::server_scopes::with_granted;
use super::uncounted::Uncounted;
use crate::content_digest::ContentDigest;
use crate::decide::Approved;
use crate::grants::Holder;
use crate::preview::Preview;

/// A call as the client made it.
pub(super) struct ToolCall {
    /// The request. If the client came back with Overt's own state, that state is removed.
    pub(super) exchange: Exchange,
    pub(super) tool: String,
    /// The session or client that may use grants for this call.
    pub(super) holder: Holder,
    /// What was approved earlier, if the call was already permitted and the server then asked the
    /// client something.
    pub(super) approved: Option<Approved>,
    /// The scopes that the upstream requested when it was first called. The call is made once more
    /// if a person grants them.
    pub(super) server_scopes: Vec<Scope>,
    /// Set if the client answered a question of this call without asking a person; the client is
    /// then not asked again.
    pub(super) uncounted: Option<Uncounted>,
}

impl ToolCall {
    /// Returns a digest of the arguments as they were written, and of whether the call is a
    /// preview: a yes to a preview is not a yes to the change. A policy for the upstream counts
    /// too, because only the upstream knows what it does with it.
    pub(super) fn arguments_digest(&self, options: &RequestOptions) -> String {
        let written = self.exchange.message.arguments().value();
        let mode = if options.preview == Preview::Yes { "preview" } else { "" };
        let policy = options.upstream_policy.as_ref().map_or("", |policy| policy.as_json().as_str());
        ContentDigest::of_parts(&[written.map_or("", Json::as_str), mode, policy]).to_base64()
    }

    /// Returns the request without the members for Overt, and with the scopes that a person granted
    /// the upstream.
    pub(super) fn onward(&self, effective: &EffectivePolicy) -> Exchange {
        let trusts = effective.snapshot.approval.trust_grants;
        let message = effective.options.onward(&self.exchange.message, trusts);
        Exchange { message: with_granted(message, &self.server_scopes), ..self.exchange.clone() }
    }
}
