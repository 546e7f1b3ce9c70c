//! The one module with `unsafe` code: a child that can't outlive us, even if we are killed without
//! warning (UP-10).
//!
//! Only what happens between `fork` and `exec` can ask the kernel for it, and the standard library
//! allows no code there without `unsafe`.
#![expect(
    unsafe_code,
    reason = "`pre_exec` is unsafe, and there is no other way to set the parent-death signal"
)]
use tokio::process::Command;

/// Makes the kernel kill the child when we are gone. The child's own children see only that it is.
#[cfg(target_os = "linux")]
pub(crate) fn kill_with_parent(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // We may have died before the kernel was asked.
        if getppid() != Some(parent) {
            return Err(rustix::io::Errno::SRCH.into());
        }
        Ok(())
    };
    // SAFETY: the closure runs in the child between `fork` and `exec`. It makes two system calls
    // and touches neither memory that is shared nor a lock, and allocates nothing.
    unsafe {
        command.pre_exec(ask);
    }
}

/// Elsewhere there is no such signal; the child sees its closed input.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_with_parent(_command: &mut Command) {}
