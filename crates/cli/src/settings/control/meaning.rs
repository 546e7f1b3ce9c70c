//! From the values of the settings to what they mean: what is allowed, how people are asked, what is written down.
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use overt_spec::control::{Authority, Fragment, Limits, Rules};
use overt_spec::rate::RateLimit;
use overt_spec::scope::{Scope, ScopeSet};
use overt_spec::setting::{List, Values};
use overt_spec::word::Word as _;
use overt_state::audit::{Arguments, Mode};

/// What `overt run` allows, and everything around it.
#[derive(Debug, Clone)]
pub(crate) struct ControlSettings {
    /// The values that the rest was made from, to be published and narrowed.
    pub(crate) values: Values,
    /// The operator's own policy, as the file has it.
    pub(crate) ceiling: Fragment,
    /// Names what is in force: the digest of the file.
    pub(crate) version: String,
    pub(crate) authority: Authority,
    pub(crate) approval_wait: Duration,
    pub(crate) trust_grants: bool,
    pub(crate) allow_client_config: bool,
    /// All of them hold.
    pub(crate) rate_limit: Vec<RateLimit>,
    pub(crate) tool_rate_limit: Vec<RateLimit>,
    pub(crate) audit: Recording,
}

/// What is written down, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recording {
    /// None: nothing is written down.
    pub(crate) mode: Option<Mode>,
    /// None: in the state folder.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) retention: Option<Duration>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) arguments: Arguments,
    pub(crate) checkpoint_file: Option<PathBuf>,
}

impl ControlSettings {
    /// The same with what a client's configuration left of the values; the operator's ceiling and rules stay.
    pub(crate) fn with(&self, values: Values) -> Self {
        Self::new(values, self.ceiling.clone(), self.authority.rules.clone(), self.version.clone())
    }

    /// `ceiling` and `rules` are the operator's own, from the file.
    pub(super) fn new(values: Values, ceiling: Fragment, rules: Rules, version: String) -> Self {
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
            ceiling: Fragment { limits: ceiling.limits.meet(&limits), ..ceiling.clone() },
            base: match allows_all {
                true => Authority::open().base,
                false => all(&held.get::<BTreeSet<List>>("allow").unwrap_or_default()).unwrap_or_default(),
            },
            denied: scopes(&held.get::<List>("deny").unwrap_or_default()),
            grantable: all(&held.get::<BTreeSet<List>>("max_grantable").unwrap_or_default()),
            rules,
            honour_declared_approval: !allows_all,
        };
        Self {
            ceiling,
            version,
            authority,
            approval_wait: time("approval_wait").unwrap_or_default(),
            trust_grants: flag("trust_grants"),
            allow_client_config: flag("allow_client_config"),
            rate_limit: rate("rate_limit"),
            tool_rate_limit: rate("tool_rate_limit"),
            audit: Recording {
                mode: Mode::parse(&word("audit")),
                dir: path("audit_dir"),
                retention: bytes("audit_retention_days").map(|days| Duration::from_secs(days * 24 * 3600)),
                max_bytes: bytes("audit_max_bytes"),
                arguments: Arguments::parse(&word("audit_arguments")).unwrap_or(Arguments::Digest),
                checkpoint_file: path("audit_checkpoint_file"),
            },
            values,
        }
    }
}

/// What every list allows; none where there is no list.
fn all(lists: &BTreeSet<List>) -> Option<ScopeSet> {
    let mut sets = lists.iter().map(scopes);
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
