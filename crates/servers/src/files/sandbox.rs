//! The second line of defence: the kernel confines this process to the folders that it serves
//! (Landlock), so that a bug in the code that opens files is not yet an escape. The sandbox does
//! not restrict files that are already open, or threads that were started earlier.
use std::fmt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};

/// Files and folders that this process may still open inside the sandbox. Each folder includes
/// everything beneath it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPaths {
    /// Readable files and folders. Each must exist.
    pub read: Vec<PathBuf>,
    /// Folders that can be read and changed. Each must exist.
    pub write: Vec<PathBuf>,
    /// Readable files and folders that need not exist.
    pub read_if_there: Vec<PathBuf>,
}

/// How far the kernel confines this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// The sandbox was not requested.
    #[default]
    Off,
    /// The kernel enforces the whole sandbox.
    Full,
    /// The kernel is older and enforces a part: this process can't open other files, but some
    /// operations on them are not prevented.
    Partial,
    /// This kernel can't confine the process: it has no Landlock, or one without the right `LEAST`.
    Absent,
}

/// The sandbox could not be set up. Nothing is restricted.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("can't open `{}` for the sandbox", path.display())]
    Open { path: PathBuf, source: PathFdError },
    #[error("the kernel refused the sandbox")]
    Kernel(#[source] RulesetError),
}

/// All rights over contents and names of files (Linux 6.2). Older kernels know fewer; newer rights
/// concern devices.
const RIGHTS: ABI = ABI::V3;

/// The right that makes Landlock useful at all. Where the kernel does not know it, a sandboxed
/// process can't move files between folders, so no sandbox is used.
const LEAST: AccessFs = AccessFs::Refer;

/// Confines this thread, and the threads that it starts later, to `paths`. This can't be undone.
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
    // The kernel rejects rights over directory entries on a file.
    let access = if path.is_file() { access & AccessFs::from_file(RIGHTS) } else { access };
    Ok(PathBeneath::new(handle, access))
}

impl Sandbox {
    /// Whether the sandbox is fully enforced.
    pub fn holds(&self) -> bool {
        *self == Self::Full
    }

    /// The state as one word, for programs.
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
