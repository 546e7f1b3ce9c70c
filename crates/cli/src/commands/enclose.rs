//! Has the kernel confine one of our servers to the paths that it serves.
use overt_servers::files::Sandbox;
use overt_servers::files::sandbox::{self, SandboxError};

use crate::error::{CommandError, Diagnostic, ErrorKind, outside_error};
use crate::settings::SandboxPlan;

impl Diagnostic for SandboxError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("`--sandbox off` does without it".to_owned())
    }
}

/// Enters the sandbox. Threads that already run are not confined.
pub(super) fn enclose(plan: &SandboxPlan) -> Result<Sandbox, CommandError> {
    match plan {
        SandboxPlan::Off => Ok(Sandbox::Off),
        SandboxPlan::Try(paths) => Ok(sandbox::enter(paths)?),
        SandboxPlan::Require(paths) => match sandbox::enter(paths)? {
            held if held.holds() => Ok(held),
            other => Err(outside_error(format!("`--require-sandbox`: {other}")).hinted(
                "use Linux 6.2 or newer with Landlock switched on, or start without `--require-sandbox`",
            )),
        },
    }
}
