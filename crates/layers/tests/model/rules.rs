//! The expected verdict of each policy about each tool. Written without the policy crate, so that
//! errors there are found here.
use overt_layers::PolicySnapshot;
use overt_policy::Authority;
use overt_policy::scope::{Scope, ScopeSet};
use proptest::sample::select;
use proptest::strategy::Strategy;

/// The server's name in scopes.
pub(crate) const SERVER: &str = "srv";
pub(crate) const PROJECT: &str = "/project";
/// The arguments that calls use. The last one is a link; its plan discovers where it leads.
pub(crate) const PATHS: [&str; 3] = ["/a/x", "/a/y", LINK];
pub(crate) const LINK: &str = "/a/link";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Tool {
    /// Declared, only reads.
    Peek,
    /// Declared, changes something, has a plan.
    Edit,
    /// Declared, destroys something.
    Wipe,
    /// Not declared; the server says that it only reads.
    ClaimsRead,
    /// Not declared; the server says that it writes.
    ClaimsWrite,
    /// Not declared; the server says that it only reads and that it destroys.
    Contradicts,
    /// Declared, has a plan, and every policy denies it.
    Vault,
}

pub(crate) const TOOLS: [Tool; 7] =
    [Tool::Peek, Tool::Edit, Tool::Wipe, Tool::ClaimsRead, Tool::ClaimsWrite, Tool::Contradicts, Tool::Vault];

/// The policies that can be in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Reading is allowed, everything else asks.
    Careful,
    /// Everything asks.
    Nothing,
    /// Writing below `/a` is allowed too.
    Writing,
    /// Everything is allowed.
    Open,
    /// Writing below `/a` is denied.
    NoWriting,
    /// Writing below `/deep` is denied.
    NoDeep,
    /// Everything of the server's own kind is denied.
    NoForeign,
    /// One file is denied, so its folder can't be offered.
    OneFile,
}

pub(crate) const POLICIES: [Policy; 8] = [
    Policy::Careful,
    Policy::Nothing,
    Policy::Writing,
    Policy::Open,
    Policy::NoWriting,
    Policy::NoDeep,
    Policy::NoForeign,
    Policy::OneFile,
];

/// The expected verdict about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Deny,
    /// A person must have granted these scopes.
    Ask(Vec<String>),
    Allow,
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Peek => "peek",
            Self::Edit => "edit",
            Self::Wipe => "wipe",
            Self::ClaimsRead => "claims_read",
            Self::ClaimsWrite => "claims_write",
            Self::Contradicts => "contradicts",
            Self::Vault => "vault",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        TOOLS.into_iter().find(|tool| tool.name() == name)
    }

    pub(crate) fn is_declared(self) -> bool {
        matches!(self, Self::Peek | Self::Edit | Self::Wipe | Self::Vault)
    }

    pub(crate) fn has_plan(self) -> bool {
        matches!(self, Self::Edit | Self::Vault)
    }

    /// Returns the scopes that a call needs. `world` is the version of the world that its plan saw,
    /// if it has a plan.
    fn needs(self, path: &str, world: Option<u64>, is_believed: bool) -> Vec<String> {
        let action = match self {
            Self::Peek => return vec![format!("read:file:{path}")],
            Self::Wipe => return vec![format!("write:file:{path}")],
            Self::Vault => return vec![format!("read:vault:{path}")],
            Self::Edit => {
                let target =
                    world.filter(|_| path == LINK).map(|world| format!("write:file:{}", target(world)));
                return [format!("write:file:{path}")].into_iter().chain(target).collect();
            }
            Self::ClaimsRead if is_believed => "read",
            Self::ClaimsRead => "execute",
            Self::ClaimsWrite | Self::Contradicts => "write",
        };
        vec![format!("{action}:{SERVER}:{}", self.name())]
    }
}

/// Returns where the link leads.
pub(crate) fn target(world: u64) -> String {
    format!("/deep/{}", world % 2)
}

impl Policy {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        select(&POLICIES[..])
    }

    fn base(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["read", "write", "execute"],
            Self::Writing => &["read", "write:file:/a"],
            Self::Nothing => &[],
            Self::Careful | Self::NoWriting | Self::NoDeep | Self::NoForeign | Self::OneFile => &["read"],
        }
    }

    fn denied(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Self::NoWriting => &["write:file:/a"],
            Self::NoDeep => &["write:file:/deep"],
            Self::NoForeign => &["read:srv", "write:srv", "execute:srv"],
            Self::OneFile => &["write:file:/a/z", "read:file:/a/z"],
            Self::Careful | Self::Nothing | Self::Writing | Self::Open => &[],
        };
        ["read:vault", "write:vault"].iter().chain(own).copied().collect()
    }

    /// Returns the snapshot for the real stack.
    pub(crate) fn snapshot(self) -> PolicySnapshot {
        let set =
            |texts: &[&str]| -> ScopeSet { texts.iter().map(|text| Scope::parse(text).unwrap()).collect() };
        let authority = match self {
            Self::Open => Authority::open(),
            _ => Authority { base: set(self.base()), ..Authority::careful() },
        };
        PolicySnapshot::new(Authority { denied: set(&self.denied()), ..authority })
    }

    pub(crate) fn verdict(self, tool: Tool, path: &str, world: Option<u64>, is_believed: bool) -> Verdict {
        let needs = tool.needs(path, world, is_believed || self == Self::Open);
        let overlaps =
            |need: &str| self.denied().iter().any(|denied| covers(denied, need) || covers(need, denied));
        if needs.iter().any(|need| overlaps(need)) {
            return Verdict::Deny;
        }
        let must_ask = tool == Tool::Wipe && self != Self::Open;
        let is_allowed = |need: &String| !must_ask && self.base().iter().any(|base| covers(base, need));
        let missing: Vec<String> = needs.into_iter().filter(|need| !is_allowed(need)).collect();
        if missing.is_empty() { Verdict::Allow } else { Verdict::Ask(missing) }
    }
}

/// Returns whether a scope equals the other one or contains it.
pub(crate) fn covers(scope: &str, other: &str) -> bool {
    match other.strip_prefix(scope) {
        Some(rest) => rest.is_empty() || rest.starts_with([':', '/']),
        None => false,
    }
}
