//! More threads for servers with many clients, each with its own runtime.
use std::io;
use std::num::NonZeroUsize;
use std::thread;

use tokio::runtime::{Builder, Handle};

/// The most threads, including the one that listens. Otherwise there is one for each processor.
const MOST_THREADS: usize = 16;

/// Starts the threads. They never end, because the kernel kills a child process when the thread
/// that started it ends.
pub(super) fn start_workers() -> io::Result<Vec<Handle>> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    (1..processors.min(MOST_THREADS)).map(start_worker).collect()
}

fn start_worker(number: usize) -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new()
        .name(format!("connections-{number}"))
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}
