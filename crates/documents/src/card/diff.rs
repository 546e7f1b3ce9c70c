//! Compares two cards of a tool, and finds the changes that invalidate the trust in the first one
//! (C-13, C-16).
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::model::{Audit, Card, Safety, Tested};
use super::version;
use overt_policy::finding::Pointer;
use overt_policy::word::string_enum;

string_enum! {
    /// How severe a change is.
    pub enum ChangeSeverity {
        /// Worth knowing.
        Change = "change",
        /// An approval that was given for the first card does not cover the second.
        Breaking = "breaking",
        /// The second card must not be published like this.
        Error = "error",
    }
}

/// A difference between the two cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub weight: ChangeSeverity,
    #[serde(serialize_with = "as_text")]
    pub at: Pointer,
    /// A description of the change.
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<Value>,
}

/// A model that passes less than half of its tests counts as failing; the card has no other
/// threshold.
const FAILING_BELOW: f64 = 0.5;

/// Returns all changes, in the order of the card.
pub fn diff(old: &Card, new: &Card) -> Vec<Change> {
    let mut changes = Changes::default();
    changes.identity(old, new);
    changes.schema(old, new);
    changes.safety(&old.safety, &new.safety);
    changes.version(old, new);
    changes.tests(&old.tested_with, &new.tested_with);
    changes.plain("/performance", "the performance changed", &old.performance, &new.performance);
    changes.plain("/cost", "the cost changed", &old.cost, &new.cost);
    changes.audit(old.audit.as_ref(), new.audit.as_ref());
    changes.0
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn identity(&mut self, old: &Card, new: &Card) {
        let (old, new) = (&old.tool, &new.tool);
        self.when(
            old.server_id != new.server_id,
            ChangeSeverity::Breaking,
            "/tool/server_id",
            "it is another server's tool",
            &old.server_id,
            &new.server_id,
        );
        self.when(
            old.name != new.name,
            ChangeSeverity::Breaking,
            "/tool/name",
            "it is another tool",
            &old.name,
            &new.name,
        );
        self.plain("/tool/version", "the version changed", &old.version, &new.version);
        self.plain(
            "/tool/mcp_server_uri",
            "the server is elsewhere",
            &old.mcp_server_uri,
            &new.mcp_server_uri,
        );
        self.plain("/tool/description", "the description changed", &old.description, &new.description);
    }

    fn schema(&mut self, old: &Card, new: &Card) {
        let input = |card: &Card| {
            let schemas = json!(card.schema);
            schemas.get("input_schema_inline").or_else(|| schemas.get("input_schema_uri")).cloned()
        };
        let changed = old.schema.input != new.schema.input;
        self.when(
            changed,
            ChangeSeverity::Breaking,
            "/schema",
            "the input schema changed",
            &input(old),
            &input(new),
        );
        let (old, new) = (&old.schema, &new.schema);
        self.plain(
            "/schema/output_schema_inline",
            "the output schema changed",
            &old.output_inline,
            &new.output_inline,
        );
        self.plain(
            "/schema/output_schema_uri",
            "the output schema is elsewhere",
            &old.output_uri,
            &new.output_uri,
        );
    }

    fn safety(&mut self, old: &Safety, new: &Safety) {
        self.ordered(
            "/safety/side_effect_class",
            "the class of side effects",
            old.side_effect_class,
            new.side_effect_class,
        );
        self.set(
            "/safety/external_systems",
            "an external system",
            &old.external_systems,
            &new.external_systems,
            BreakingChange::WhenAdded,
        );
        self.flag(
            "/safety/reversible",
            ["it can be undone now", "it can't be undone any more"],
            old.reversible,
            new.reversible,
        );
        self.flag(
            "/safety/rate_limited",
            ["it has a rate limit now", "the rate limit is gone"],
            old.rate_limited,
            new.rate_limited,
        );
        self.ordered(
            "/safety/pii_exposure",
            "the exposure of personal data",
            old.pii_exposure,
            new.pii_exposure,
        );
        self.ordered(
            "/safety/secrets_exposure",
            "the exposure of secrets",
            old.secrets_exposure,
            new.secrets_exposure,
        );
        self.flag(
            "/safety/human_approval_required",
            ["a person must agree to a call now", "nobody must agree to a call any more"],
            old.human_approval_required,
            new.human_approval_required,
        );
        let at = "/safety/refusal_modes";
        match (&old.refusal_modes, &new.refusal_modes) {
            (Some(old), Some(new)) => self.set(at, "a refusal mode", old, new, BreakingChange::WhenRemoved),
            // Even an empty list is a statement: the tool never refuses (C-12).
            (Some(old), None) => {
                let what = "nobody says any more when it refuses";
                self.when(true, ChangeSeverity::Breaking, at, what, old, &Value::Null);
            }
            (None, new) => self.plain(at, "it says now when it refuses", &None, new),
        }
    }

    /// Another class of side effects requires a newer version (C-13).
    fn version(&mut self, old: &Card, new: &Card) {
        let same_class = old.safety.side_effect_class == new.safety.side_effect_class;
        let is_newer = version::compare(&new.tool.version, &old.tool.version) == Ordering::Greater;
        let what = "the class of side effects changed without a newer version";
        self.when(
            !same_class && !is_newer,
            ChangeSeverity::Error,
            "/tool/version",
            what,
            &old.tool.version,
            &new.tool.version,
        );
    }

    fn tests(&mut self, old: &[Tested], new: &[Tested]) {
        let (old, new) = (best(old), best(new));
        for (provider, was) in &old {
            let at = Pointer::root().join("tested_with");
            let show = |rate: f64| Some(json!({"provider": provider, "pass_rate": rate}));
            let (weight, what, is) = match new.get(provider) {
                None => (ChangeSeverity::Breaking, "a tested provider is gone", None),
                Some(is) if *was >= FAILING_BELOW && *is < FAILING_BELOW => {
                    (ChangeSeverity::Breaking, "a tested provider fails now", show(*is))
                }
                Some(is) if is < was => (ChangeSeverity::Change, "a pass rate went down", show(*is)),
                Some(is) if is > was => (ChangeSeverity::Change, "a pass rate went up", show(*is)),
                Some(_) => continue,
            };
            self.0.push(Change { weight, at, what: what.to_owned(), was: show(*was), is });
        }
        for (provider, is) in new.iter().filter(|(provider, _)| !old.contains_key(*provider)) {
            let is = Some(json!({"provider": provider, "pass_rate": is}));
            let at = Pointer::root().join("tested_with");
            self.0.push(Change {
                weight: ChangeSeverity::Change,
                at,
                what: "a tested provider is new".to_owned(),
                was: None,
                is,
            });
        }
    }

    fn audit(&mut self, old: Option<&Audit>, new: Option<&Audit>) {
        let (empty, none) = (Audit::default(), Audit::default());
        let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&none));
        let at = "/audit/log_uri";
        match (&old.log_uri, &new.log_uri) {
            (Some(was), None) => {
                self.when(
                    true,
                    ChangeSeverity::Breaking,
                    at,
                    "the place of the audit log is gone",
                    was,
                    &Value::Null,
                );
            }
            (was, is) => self.plain(at, "the audit log is elsewhere", was, is),
        }
        let at = "/audit/retention_days";
        match (old.retention_days, new.retention_days) {
            (Some(was), is) if is.is_none_or(|is| is < was) => {
                self.when(
                    true,
                    ChangeSeverity::Breaking,
                    at,
                    "the audit log is kept for a shorter time",
                    &was,
                    &is,
                );
            }
            (was, is) => self.plain(at, "the audit log is kept for a longer time", &was, &is),
        }
        self.plain("/audit/signed_by", "another signs the audit log", &old.signed_by, &new.signed_by);
        let uri = "/audit/incident_response_uri";
        self.plain(
            uri,
            "incidents are reported elsewhere",
            &old.incident_response_uri,
            &new.incident_response_uri,
        );
    }

    /// Compares values that are ordered from harmless to grave. An increase is breaking.
    fn ordered<T: Ord + Copy + Serialize>(&mut self, at: &str, what: &str, old: T, new: T) {
        let weight = if new > old { ChangeSeverity::Breaking } else { ChangeSeverity::Change };
        let way = if new > old { "is graver" } else { "is less grave" };
        self.when(old != new, weight, at, &format!("{what} {way}"), &old, &new);
    }

    /// Compares flags. A change to false is breaking.
    fn flag(&mut self, at: &str, [on, off]: [&str; 2], old: bool, new: bool) {
        let (weight, what) = if new { (ChangeSeverity::Change, on) } else { (ChangeSeverity::Breaking, off) };
        self.when(old != new, weight, at, what, &old, &new);
    }

    fn set(&mut self, at: &str, what: &str, old: &[String], new: &[String], breaks: BreakingChange) {
        let (gone, added) = match breaks {
            BreakingChange::WhenAdded => (ChangeSeverity::Change, ChangeSeverity::Breaking),
            BreakingChange::WhenRemoved => (ChangeSeverity::Breaking, ChangeSeverity::Change),
        };
        for item in old.iter().filter(|item| !new.contains(item)) {
            self.when(true, gone, at, &format!("{what} is gone"), item, &Value::Null);
        }
        for item in new.iter().filter(|item| !old.contains(item)) {
            self.when(true, added, at, &format!("{what} is new"), &Value::Null, item);
        }
    }

    fn plain<T: PartialEq + Serialize>(&mut self, at: &str, what: &str, old: &T, new: &T) {
        self.when(old != new, ChangeSeverity::Change, at, what, old, new);
    }

    fn when(
        &mut self,
        changed: bool,
        weight: ChangeSeverity,
        at: &str,
        what: &str,
        was: &(impl Serialize + ?Sized),
        is: &(impl Serialize + ?Sized),
    ) {
        if changed {
            let at = Pointer::parse(at).unwrap_or_default();
            self.0.push(Change { weight, at, what: what.to_owned(), was: shown(was), is: shown(is) });
        }
    }
}

#[derive(Clone, Copy)]
enum BreakingChange {
    WhenAdded,
    WhenRemoved,
}

/// Returns the best pass rate of each provider. If a test names no provider, its model is used.
fn best(tests: &[Tested]) -> BTreeMap<&str, f64> {
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for test in tests {
        let rate = best.entry(test.provider.as_deref().unwrap_or(&test.llm)).or_insert(0.0);
        *rate = rate.max(test.pass_rate);
    }
    best
}

fn shown(value: &(impl Serialize + ?Sized)) -> Option<Value> {
    serde_json::to_value(value).ok().filter(|value| !value.is_null())
}

fn as_text<S: serde::Serializer>(at: &Pointer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(at.as_str())
}
