//! Derives from the values of the settings what is allowed, how people are asked and what is
//! recorded.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_clients::longest_wait;
use overt_layers::{Approval, Rates};
use overt_policy::rate::RateLimit;
use overt_policy::scope::{Action, Scope, ScopeSet};
use overt_policy::word::StringEnum as _;
use overt_policy::{Authority, Limits, Policy, Rules};
use overt_servers::files::NAME;
use overt_settings::Regions;
use overt_settings::{List, Origin, SettingValue, SettingValues};
use overt_state::audit::{Arguments, CommitPoint, Mode};

use super::table::{AUDIT_DIR, GRANTABLE, NO_GRANTS, ROOTS};

/// The permissions of a server, and everything around them.
#[derive(Debug, Clone)]
pub(crate) struct ControlSettings {
    baseline: Baseline,
    /// Whether the operator set by hand what is allowed, and so believes what servers claim about
    /// their own tools.
    believes_claims: bool,
    /// The values from which the rest was derived, to publish and to narrow.
    pub(crate) values: SettingValues,
    /// What the policies of the user's file and of the given file both allow.
    pub(crate) ceiling: Policy,
    /// Identifies the settings in force by the digests of their files.
    pub(crate) version: String,
    pub(crate) authority: Authority,
    pub(crate) approval: Approval,
    pub(crate) allow_client_config: bool,
    pub(crate) rates: Rates,
    pub(crate) audit: Recording,
}

/// What is allowed before any control setting adds to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Baseline {
    /// Nothing, for a third-party server.
    #[default]
    Bare,
    /// The roots in force; outside them, what a person grants.
    Roots,
}

/// What the audit log records, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recording {
    /// `None` if nothing is recorded.
    pub(crate) mode: Option<Mode>,
    pub(crate) commit_point: CommitPoint,
    /// `None` for the state folder.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) retention: Option<Duration>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) arguments: Arguments,
    pub(crate) checkpoint_file: Option<PathBuf>,
}

impl ControlSettings {
    /// Returns these settings with the values that a client's configuration narrowed or replaced.
    /// The operator's ceiling and rules stay.
    pub(crate) fn with(&self, values: SettingValues) -> Self {
        let rules = self.authority.rules.clone();
        let operator = (self.baseline.clone(), self.believes_claims);
        Self::on(operator, values, self.ceiling.clone(), rules, self.version.clone())
    }

    /// `ceiling` and `rules` come from the given file and the user's own file. `user` is the path
    /// of the latter: permitting a tool there does not mean that servers' claims are believed.
    pub(super) fn new(
        values: SettingValues,
        ceiling: Policy,
        rules: Rules,
        version: String,
        user: Option<&Path>,
    ) -> Self {
        let baseline = match values.value_of(ROOTS) {
            Some(SettingValue::Regions(_)) => Baseline::Roots,
            _ => Baseline::Bare,
        };
        // A default does not count as the operator's decision.
        let said = match values.origin("allow") {
            Some(Origin::File { path, .. }) => user.is_none_or(|user| Path::new(path) != user),
            Some(Origin::Environment(_) | Origin::Flag(_)) => true,
            _ => false,
        };
        Self::on((baseline, said), values, ceiling, rules, version)
    }

    fn on(
        (baseline, believes_claims): (Baseline, bool),
        values: SettingValues,
        ceiling: Policy,
        rules: Rules,
        version: String,
    ) -> Self {
        // The operator's own policy caps every value, whatever set it.
        let held = values.capped_by(&ceiling);
        let flag = |key| held.get::<bool>(key).unwrap_or_default();
        let time = |key| held.get::<Option<Duration>>(key).flatten();
        let bytes = |key| held.get::<Option<u64>>(key).flatten();
        let rate = |key| held.get::<Vec<RateLimit>>(key).unwrap_or_default();
        let path = |key| held.get::<Option<String>>(key).flatten().map(PathBuf::from);
        let word = |key| held.get::<String>(key).unwrap_or_default();
        let limits = Limits {
            argument_bytes: bytes("max_argument_bytes"),
            result_bytes: bytes("max_result_bytes"),
            time: time("call_timeout"),
            rate: None,
        };
        let allows_all = flag("allow_all");
        let authority = Authority {
            ceiling: Policy { limits: ceiling.limits.meet(&limits), ..ceiling.clone() },
            base: match allows_all {
                true => Authority::open().base,
                false => {
                    let allowed =
                        all(&held.get::<BTreeSet<List>>("allow").unwrap_or_default()).unwrap_or_default();
                    allowed.iter().chain(baseline.base(&held).iter()).cloned().collect()
                }
            },
            denied: scopes(&held.get::<List>("deny").unwrap_or_default()),
            grantable: {
                let most = all(&held.get::<BTreeSet<List>>("max_grantable").unwrap_or_default());
                baseline.grantable(&held, most)
            },
            rules,
            honour_declared_approval: !allows_all,
            believes_claims: believes_claims || allows_all,
        };
        Self {
            baseline,
            believes_claims,
            ceiling,
            version,
            authority,
            approval: Approval {
                wait: time("approval_wait").unwrap_or_default(),
                longest_wait,
                trust_grants: flag("trust_grants"),
                quick: if flag("trust_quick_answers") { Duration::ZERO } else { QUICK },
            },
            allow_client_config: flag("allow_client_config"),
            rates: Rates { all: rate("rate_limit"), each: rate("tool_rate_limit") },
            audit: Recording {
                mode: Mode::parse(&word("audit")),
                // If changes do not wait for the disk, their records do not wait either.
                commit_point: if word("durability") == "rename" {
                    CommitPoint::System
                } else {
                    CommitPoint::Disk
                },
                dir: path(AUDIT_DIR),
                retention: bytes("audit_retention_days").map(|days| Duration::from_secs(days * 24 * 3600)),
                max_bytes: bytes("audit_max_bytes"),
                arguments: Arguments::parse(&word("audit_arguments")).unwrap_or(Arguments::Digest),
                checkpoint_file: path("audit_checkpoint_file"),
            },
            values,
        }
    }
}

impl Baseline {
    /// The scopes that are allowed without asking.
    fn base(&self, held: &SettingValues) -> ScopeSet {
        let Self::Roots = self else { return ScopeSet::default() };
        let roots: Regions = held.get(ROOTS).unwrap_or_default();
        let snapshot = roots
            .folders()
            .map(|layer| layer.iter().flat_map(|folder| places(held, &folder.path)).collect::<ScopeSet>());
        // Every client that may use the server may read what the server says about itself, and
        // previews of changes.
        let itself = Scope::of_server(Action::Read, NAME);
        meet_all(snapshot).unwrap_or_default().iter().cloned().chain([itself]).collect()
    }

    /// The scopes that a person can grant. If a client or a policy names the roots, nothing outside
    /// them can be granted.
    fn grantable(&self, held: &SettingValues, most: Option<ScopeSet>) -> Option<ScopeSet> {
        let Self::Roots = self else { return most };
        if matches!(held.origin(ROOTS), Some(Origin::Policy(_) | Origin::Client)) {
            return Some(ScopeSet::default());
        }
        if held.get::<bool>(NO_GRANTS).unwrap_or(true) {
            return Some(ScopeSet::default());
        }
        let mut folders: List = held.get(GRANTABLE).unwrap_or_default();
        if folders.is_empty() {
            // A process of its own serves what is granted, so it can be anywhere.
            folders.insert("/".to_owned());
        }
        Some(most.unwrap_or_else(|| folders.iter().flat_map(|folder| places(held, folder)).collect()))
    }
}

/// The scopes for everything in a folder: reading, and writing unless the server is read-only.
fn places(held: &SettingValues, folder: &str) -> impl Iterator<Item = Scope> {
    let is_read_only = held.get::<bool>(READ_ONLY).unwrap_or_default();
    let actions = [Action::Read, Action::Write].into_iter();
    let actions = actions.filter(move |action| *action == Action::Read || !is_read_only);
    actions.map(move |action| Scope::of_path(action, "file", folder)).collect::<Vec<_>>().into_iter()
}

/// Shorter than the time in which a person can read and answer a question.
pub(crate) const QUICK: Duration = Duration::from_millis(300);

const READ_ONLY: &str = "read_only";

/// The scopes that every list allows; `None` if there is no list.
fn all(lists: &BTreeSet<List>) -> Option<ScopeSet> {
    meet_all(lists.iter().map(scopes))
}

fn meet_all(mut sets: impl Iterator<Item = ScopeSet>) -> Option<ScopeSet> {
    let first = sets.next()?;
    Some(sets.fold(first, |held, more| {
        let pairs = held.iter().flat_map(|one| more.iter().filter_map(|other| one.meet(other)));
        pairs.collect()
    }))
}

/// Values of these settings were validated as scopes before.
fn scopes(list: &List) -> ScopeSet {
    list.iter().filter_map(|text| Scope::parse(text).ok()).collect()
}
