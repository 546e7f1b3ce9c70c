//! From the values of the settings to what they mean: what is allowed, how people are asked, what
//! is written down.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_policy::rate::RateLimit;
use overt_policy::scope::{Action, Scope, ScopeSet};
use overt_policy::setting::{List, Origin, SettingValue, SettingValues};
use overt_policy::word::StringEnum as _;
use overt_policy::{Authority, Limits, Policy, Regions, Rules};
use overt_servers::files::NAME;
use overt_state::audit::{Arguments, CommitPoint, Mode};

use super::table::{AUDIT_DIR, GRANTABLE, ROOTS};

/// What a server may do, and everything around it.
#[derive(Debug, Clone)]
pub(crate) struct ControlSettings {
    baseline: Baseline,
    /// Whether the operator believes what servers say about their own tools: what is allowed was
    /// set by hand.
    believes_claims: bool,
    /// The values that the rest was made from, to be published and narrowed.
    pub(crate) values: SettingValues,
    /// The operator's own policy, as the file has it.
    pub(crate) ceiling: Policy,
    /// Names what is in force: the digest of the file.
    pub(crate) version: String,
    pub(crate) authority: Authority,
    pub(crate) approval_wait: Duration,
    pub(crate) trust_grants: bool,
    /// An answer through the client that comes sooner was given by a program.
    pub(crate) quick: Duration,
    pub(crate) allow_client_config: bool,
    /// All of them hold.
    pub(crate) rate_limit: Vec<RateLimit>,
    pub(crate) tool_rate_limit: Vec<RateLimit>,
    pub(crate) audit: Recording,
}

/// What is allowed before any setting of control says more.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Baseline {
    /// Nothing: it is a third-party server.
    #[default]
    Bare,
    /// What is in the roots that are in force; beside them, what a person grants.
    Roots,
}

/// What is written down, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recording {
    /// None: nothing is written down.
    pub(crate) mode: Option<Mode>,
    pub(crate) commit_point: CommitPoint,
    /// None: in the state folder.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) retention: Option<Duration>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) arguments: Arguments,
    pub(crate) checkpoint_file: Option<PathBuf>,
}

impl ControlSettings {
    /// The same with what a client's configuration left of the values; the operator's ceiling and
    /// rules stay.
    pub(crate) fn with(&self, values: SettingValues) -> Self {
        let rules = self.authority.rules.clone();
        let operator = (self.baseline.clone(), self.believes_claims);
        Self::on(operator, values, self.ceiling.clone(), rules, self.version.clone())
    }

    /// `ceiling` and `rules` are the operator's own, from the file. `user` is the user's own file:
    /// who permits a tool there has said nothing about what servers claim.
    pub(super) fn new(
        values: SettingValues,
        ceiling: Policy,
        rules: Rules,
        version: String,
        user: Option<&Path>,
    ) -> Self {
        let baseline = match values.held(ROOTS) {
            Some(SettingValue::Regions(_)) => Baseline::Roots,
            _ => Baseline::Bare,
        };
        // The default is not the operator's word.
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
        // Whatever was set, it does not pass the operator's own policy.
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
            approval_wait: time("approval_wait").unwrap_or_default(),
            trust_grants: flag("trust_grants"),
            quick: if flag("trust_quick_answers") { Duration::ZERO } else { QUICK },
            allow_client_config: flag("allow_client_config"),
            rate_limit: rate("rate_limit"),
            tool_rate_limit: rate("tool_rate_limit"),
            audit: Recording {
                mode: Mode::parse(&word("audit")),
                // Where changes don't wait for the disk, what is written down of them doesn't
                // either.
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
    /// What is allowed without asking.
    fn base(&self, held: &SettingValues) -> ScopeSet {
        let Self::Roots = self else { return ScopeSet::default() };
        let roots: Regions = held.get(ROOTS).unwrap_or_default();
        let snapshot = roots
            .folders()
            .map(|layer| layer.iter().flat_map(|folder| places(held, &folder.path)).collect::<ScopeSet>());
        // Every client that may use the server may read what it says about itself and what it would
        // change.
        let itself = Scope::of_server(Action::Read, NAME);
        meet_all(snapshot).unwrap_or_default().iter().cloned().chain([itself]).collect()
    }

    /// What a person can grant. Where a client or a policy names roots, nothing beside them.
    fn grantable(&self, held: &SettingValues, most: Option<ScopeSet>) -> Option<ScopeSet> {
        let Self::Roots = self else { return most };
        if matches!(held.origin(ROOTS), Some(Origin::Policy(_) | Origin::Client)) {
            return Some(ScopeSet::default());
        }
        let folders: List = held.get(GRANTABLE).unwrap_or_default();
        Some(most.unwrap_or_else(|| folders.iter().flat_map(|folder| places(held, folder)).collect()))
    }
}

/// Everything in a folder: to be read, and to be changed unless nothing may be.
fn places(held: &SettingValues, folder: &str) -> impl Iterator<Item = Scope> {
    let is_read_only = held.get::<bool>(READ_ONLY).unwrap_or_default();
    let actions = [Action::Read, Action::Write].into_iter();
    let actions = actions.filter(move |action| *action == Action::Read || !is_read_only);
    actions.map(move |action| Scope::of_path(action, "file", folder)).collect::<Vec<_>>().into_iter()
}

/// Nobody reads a question and answers it sooner.
pub(crate) const QUICK: Duration = Duration::from_millis(300);

const READ_ONLY: &str = "read_only";

/// What every list allows; none where there is no list.
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

/// They were read as scopes already.
fn scopes(list: &List) -> ScopeSet {
    list.iter().filter_map(|text| Scope::parse(text).ok()).collect()
}
