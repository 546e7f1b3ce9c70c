//! The one module with `unsafe` code: a child that is killed when this process dies, even if this
//! process is killed without warning (UP-10).
//!
//! Only code that runs between `fork` and `exec` can ask the kernel for this, and the standard
//! library requires `unsafe` for such code.
#![expect(
    unsafe_code,
    reason = "`pre_exec` is unsafe, and there is no other way to set the parent-death signal"
)]
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Makes the kernel kill the child when this process dies. The child's own children are not killed.
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
    // SAFETY: the closure runs in the child between `fork` and `exec`. It makes two system calls.
    // It does not touch shared memory or locks, and it does not allocate.
    unsafe {
        command.pre_exec(ask);
    }
}

/// Other systems have no such signal; there the child sees that its input is closed.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_with_parent(_command: &mut Command) {}
