//! Has the kernel confine one of our servers to the paths that it serves.
use overt_servers::files::Sandbox;
use overt_servers::files::sandbox::{self, SandboxError};

use crate::failure::{Complaint, Exit, Failure};
use crate::settings::SandboxPlan;

impl Complaint for SandboxError {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("`--sandbox off` does without it".to_owned())
    }
}

/// The sandbox is required, but the kernel can't confine the program to its roots.
#[derive(Debug, thiserror::Error)]
#[error("`--require-sandbox`: {0}")]
struct NoSandbox(Sandbox);

impl Complaint for NoSandbox {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some(
            "use Linux 6.2 or newer with Landlock switched on, or start without `--require-sandbox`"
                .to_owned(),
        )
    }
}

/// Enters the sandbox. Threads that already run are not confined.
pub(super) fn enclose(plan: &SandboxPlan) -> Result<Sandbox, Failure> {
    match plan {
        SandboxPlan::Off => Ok(Sandbox::Off),
        SandboxPlan::Try(paths) => Ok(sandbox::enter(paths)?),
        SandboxPlan::Require(paths) => match sandbox::enter(paths)? {
            held if held.holds() => Ok(held),
            other => Err(NoSandbox(other).into()),
        },
    }
}
