//! For tests: makes the n-th system call of a change fail, kills the process there, or runs
//! something right before it.
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;

/// The fault to inject. Clones share the counter. It does nothing until it is armed.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    /// Calls until the fault strikes; negative once it has.
    left: Arc<AtomicI64>,
    how: Arc<Mutex<FaultAction>>,
}

#[derive(Clone)]
pub(crate) enum FaultAction {
    /// The call fails with this error.
    Fail(Errno),
    /// The process is killed.
    Kill,
    /// This runs first, simulating another program.
    Do(Arc<dyn Fn() + Send + Sync>),
}

impl std::fmt::Debug for FaultAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FaultAction")
    }
}

impl Default for Fault {
    fn default() -> Self {
        Self { left: Arc::new(AtomicI64::new(-1)), how: Arc::new(Mutex::new(FaultAction::Fail(Errno::IO))) }
    }
}

impl Fault {
    /// Arms the fault for the call after the next `calls` ones.
    pub(crate) fn arm(&self, calls: i64, how: FaultAction) {
        *self.how.lock().unwrap_or_else(PoisonError::into_inner) = how;
        self.left.store(calls, Ordering::SeqCst);
    }

    /// Disarms the fault. Returns whether it has struck.
    pub(crate) fn disarm(&self) -> bool {
        self.left.swap(-1, Ordering::SeqCst) < 0
    }

    pub(super) fn pass(&self) -> Result<(), Errno> {
        if self.left.load(Ordering::SeqCst) < 0 || self.left.fetch_sub(1, Ordering::SeqCst) != 0 {
            return Ok(());
        }
        let how = self.how.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match how {
            FaultAction::Fail(errno) => Err(errno),
            FaultAction::Kill => {
                let own = rustix::process::getpid();
                rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
                std::thread::park();
                Err(Errno::IO)
            }
            FaultAction::Do(something) => {
                something();
                Ok(())
            }
        }
    }
}
