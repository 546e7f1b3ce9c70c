//! Adds to a result what the model's text does not have: links for people, and data for programs in
//! `_meta`.
use std::sync::Arc;
use std::time::SystemTime;

use overt_policy::mark::{key, request};
use overt_wire::era::Version;
use overt_wire::json::{JsonBuf, Object};
use serde_json::Value;

use super::super::content::Content;
use super::super::context::Context;
use super::super::outcome::Outcome;
use super::super::preview::Mode;
use super::address::{DIFF, PAGE, address, diff_address};
use super::facts::{Facts, Status};
use super::rendered::{Documents, RenderedChanges};
use super::store::Artifact;

/// Tells the model that this was a preview, so that it does not believe that something changed.
const NOTHING_CHANGED: &str = "This was a preview: nothing was changed.";
/// The most bytes of arguments that are repeated in a result.
const MOST_ARGUMENT_BYTES: usize = 256 << 10;
/// The most characters of the client's name and version.
const LONGEST_CLIENT: usize = 200;

impl Context {
    /// Returns what a page says about this call.
    pub(in super::super) fn review_facts(&self, status: Status) -> Facts {
        let client = self.caller().info.as_ref().and_then(|info| {
            let text = |name: &str| info.as_json().get(name).string();
            let client = format!("{} {}", text("name")?, text("version").unwrap_or_default());
            Some(client.trim_end().chars().take(LONGEST_CLIENT).collect())
        });
        Facts { status, time: SystemTime::now(), origin: self.artifacts().origin().clone(), client }
    }

    /// Returns the result of a plan, with the diff, the links and the plan's digest.
    pub(in super::super) async fn review(
        &self,
        outcome: Outcome,
        tool: &str,
        arguments: Arc<Value>,
        rendered: RenderedChanges,
        digest: Option<&str>,
    ) -> Outcome {
        let is_preview = self.mode().is_ok_and(|mode| mode == Mode::Preview);
        let mut meta = Object::new();
        let mut outcome = outcome;
        if is_preview {
            meta = meta.raw(request::PREVIEW, "true").maybe(request::PLAN, digest);
            if let Some(call) = self.call_as_sent() {
                meta = meta.json(key::CALL, call.as_json());
            }
            outcome = outcome.with_extra_item(Content::text(NOTHING_CHANGED));
        }
        if self.wants_literal_items() {
            outcome = outcome.with_literal_diff(rendered.structured);
        } else {
            meta = meta.json(key::DIFF, rendered.structured.as_json());
        }
        let status = if is_preview { Status::Preview } else { Status::Done };
        let kept = rendered.documents.and_then(|Documents { diff, page }| {
            self.artifacts().keep(Artifact {
                tool: tool.to_owned(),
                arguments,
                settings: self.settings().cloned(),
                diff,
                page: page.with(&self.review_facts(status)),
                owner: self.session().is_one_client().then(|| self.session_id().to_owned()),
            })
        });
        if let Some(name) = kept {
            let (page, diff) = (address(tool, &name), diff_address(tool, &name));
            meta = meta.json(key::REVIEW, self.addresses(&page, &diff).as_json());
            meta = meta.json("ui", Object::new().string("resourceUri", &page).finish().as_json());
            for item in self.items(tool, &page, &diff) {
                outcome = outcome.with_extra_item(item);
            }
            self.artifacts_changed().await;
        }
        outcome.with_meta(meta.finish())
    }

    /// Returns the previewed call as the client wrote it, because some hosts show an app only the
    /// result. `None` for a preview that an argument asks for: the same arguments would never
    /// change anything.
    fn call_as_sent(&self) -> Option<JsonBuf> {
        if Mode::read(self.message()).ok()? != Mode::Preview {
            return None;
        }
        let params = self.message().params();
        let (name, arguments) = (params.get("name").string()?, params.get("arguments").value()?);
        let fits = arguments.as_str().len() <= MOST_ARGUMENT_BYTES;
        fits.then(|| Object::new().string("name", &name).json("arguments", arguments).finish())
    }

    /// Returns the addresses of page and diff, and how long they are valid.
    fn addresses(&self, page: &str, diff: &str) -> JsonBuf {
        Object::new()
            .string("page", page)
            .string("diff", diff)
            .value("expiresInSeconds", &self.artifacts().lifetime().as_secs())
            .finish()
    }

    /// Returns the literal items for a client that wants them, and links for other clients.
    /// Versions without links would show them as text, which a model reads; there, the addresses
    /// are only in `_meta`.
    fn items(&self, tool: &str, page: &str, diff: &str) -> Vec<Content> {
        if self.wants_literal_items() {
            return vec![Content::artifact("review", page, PAGE), Content::artifact("diff", diff, DIFF)];
        }
        if self.caller().version < Version::V2025_06_18 {
            return Vec::new();
        }
        let audience = Object::new().value("audience", &["user"]).finish();
        [("review", page, PAGE), ("diff", diff, DIFF)]
            .map(|(kind, uri, mime_type)| {
                let meta = Object::new().string(key::ARTIFACT, kind).finish();
                Content::link(uri, &format!("{tool} {kind}"), mime_type)
                    .with("annotations", audience.as_json())
                    .with("_meta", meta.as_json())
            })
            .into()
    }
}
