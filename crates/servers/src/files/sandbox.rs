//! The second wall: the kernel itself keeps this process to the folders that it serves (Landlock),
//! so that a mistake in the code that opens files is not yet an escape. What was opened before, and
//! threads that began before, are not held by it.
use std::fmt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};

/// What this process may still open once it is in the sandbox, and everything beneath.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPaths {
    /// Files and folders that must be there.
    pub read: Vec<PathBuf>,
    /// Folders that may be read and changed.
    pub write: Vec<PathBuf>,
    /// Files and folders that are read if they are there.
    pub read_if_there: Vec<PathBuf>,
}

/// Whether the kernel holds this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// It was not requested.
    #[default]
    Off,
    /// All that was asked for.
    Full,
    /// An older kernel, which knows some of it: this process is kept from files elsewhere, but not
    /// from all that can be done to them.
    Partial,
    /// This kernel can't.
    Absent,
}

/// The wall can't be built. Nothing is held.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("can't open `{}` for the sandbox", path.display())]
    Open { path: PathBuf, source: PathFdError },
    #[error("the kernel refused the sandbox")]
    Kernel(#[source] RulesetError),
}

/// Every right over the contents and the names of files (Linux 6.2). An older kernel has fewer;
/// newer rights are about devices.
const RIGHTS: ABI = ABI::V3;

/// The least that is of use: before it, no file could be moved from one folder to another.
const LEAST: AccessFs = AccessFs::Refer;

/// From now on this thread and those that it starts open nothing outside. There is no way back.
pub fn enter(paths: &SandboxPaths) -> Result<Sandbox, SandboxError> {
    let all = AccessFs::from_all(RIGHTS);
    // A file server starts no programs.
    let changing = all & !BitFlags::from(AccessFs::Execute);
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let least = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(LEAST);
    if least.is_err() {
        return Ok(Sandbox::Absent);
    }
    let ruleset = Ruleset::default().handle_access(all).and_then(Ruleset::create);
    let mut ruleset = ruleset.map_err(SandboxError::Kernel)?;
    let wanted = |paths: &[PathBuf], access: BitFlags<AccessFs>| {
        paths.iter().map(|path| rule(path, access)).collect::<Result<Vec<_>, _>>()
    };
    let rules = [wanted(&paths.read, reading)?, wanted(&paths.write, changing)?];
    let optional = paths.read_if_there.iter().filter_map(|path| rule(path, reading).ok());
    for rule in rules.into_iter().flatten().chain(optional) {
        ruleset = ruleset.add_rule(rule).map_err(SandboxError::Kernel)?;
    }
    let RestrictionStatus { ruleset, .. } = ruleset.restrict_self().map_err(SandboxError::Kernel)?;
    Ok(match ruleset {
        RulesetStatus::FullyEnforced => Sandbox::Full,
        RulesetStatus::PartiallyEnforced => Sandbox::Partial,
        RulesetStatus::NotEnforced => Sandbox::Absent,
    })
}

fn rule(path: &Path, access: BitFlags<AccessFs>) -> Result<PathBeneath<PathFd>, SandboxError> {
    let handle = PathFd::new(path).map_err(|source| SandboxError::Open { path: path.to_owned(), source })?;
    // A file has no entries, and rights over entries can't be given to it.
    let access = if path.is_file() { access & AccessFs::from_file(RIGHTS) } else { access };
    Ok(PathBeneath::new(handle, access))
}

impl Sandbox {
    /// Whether the kernel keeps this process from every file elsewhere.
    pub fn holds(&self) -> bool {
        *self == Self::Full
    }

    /// One word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Absent => "absent",
        }
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "the sandbox is off: this program alone keeps to the roots",
            Self::Full => "the kernel keeps this program to the roots (Landlock)",
            Self::Partial => {
                "the kernel is too old to keep this program to the roots in every respect (Landlock in part)"
            }
            Self::Absent => {
                "this kernel can't keep the program to the roots (no Landlock): the program alone does"
            }
        })
    }
}
