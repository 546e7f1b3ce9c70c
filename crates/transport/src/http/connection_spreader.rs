//! Distributes connections over threads. Each connection stays on its thread, so a single client
//! causes no wake-ups between threads.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// The runtimes that serve connections, each with its number of connections.
pub(super) struct ConnectionSpreader {
    /// The first runtime is the one that listens.
    runtimes: Vec<(Handle, Arc<AtomicUsize>)>,
}

/// Assigns one connection to a runtime. The connection counts until this is dropped.
pub(super) struct Assignment {
    pub(super) runtime: Handle,
    connections: Arc<AtomicUsize>,
    is_elsewhere: bool,
}

/// A connection on its way to its runtime.
pub(super) enum Accepted {
    Here(TcpStream),
    Elsewhere(std::net::TcpStream),
}

impl ConnectionSpreader {
    pub(super) fn new(workers: &[Handle]) -> Self {
        let own = std::iter::once(Handle::current());
        let counted = |runtime| (runtime, Arc::new(AtomicUsize::new(0)));
        Self { runtimes: own.chain(workers.iter().cloned()).map(counted).collect() }
    }

    /// Chooses the runtime with the fewest connections; the first one if several have equally few.
    pub(super) fn assign(&self) -> Assignment {
        let load = |place: &usize| self.runtimes[*place].1.load(Ordering::Relaxed);
        let place = (0..self.runtimes.len()).min_by_key(load).unwrap_or_default();
        let (runtime, connections) = &self.runtimes[place];
        connections.fetch_add(1, Ordering::Relaxed);
        Assignment { runtime: runtime.clone(), connections: Arc::clone(connections), is_elsewhere: place > 0 }
    }
}

impl Accepted {
    /// Registers the connection with the runtime that serves it. It must be called on that runtime.
    pub(super) fn adopt(self) -> io::Result<TcpStream> {
        match self {
            Self::Here(stream) => Ok(stream),
            Self::Elsewhere(stream) => TcpStream::from_std(stream),
        }
    }
}

impl Assignment {
    /// Releases a connection from the runtime that accepted it.
    pub(super) fn release(&self, stream: TcpStream) -> io::Result<Accepted> {
        match self.is_elsewhere {
            false => Ok(Accepted::Here(stream)),
            true => stream.into_std().map(Accepted::Elsewhere),
        }
    }
}

impl Drop for Assignment {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
