//! A ledger that keeps entries in order, and can be slow or fail.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_layers::audit::{Durability, Entry, Kind, Ledger, LedgerError};
use overt_wire::BoxFuture;

use super::world::World;

#[derive(Debug)]
pub(crate) struct Notebook {
    world: Arc<World>,
    lines: Mutex<Vec<Line>>,
    mode: Mutex<Mode>,
}

/// One entry, with the time at which it was kept.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) at: u64,
    pub(crate) entry: Entry,
    pub(crate) is_durable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Works,
    /// A record takes a while to reach the disk.
    Slow,
    Fails,
    /// The process ended: nothing more is kept.
    Crashed,
}

/// How long a slow record takes.
const A_WHILE: Duration = Duration::from_millis(300);

/// A record on its way to the disk. It arrives even if its writer stopped waiting.
struct Queued<'a> {
    notebook: &'a Notebook,
    entry: Option<Entry>,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.notebook.note(entry);
        }
    }
}

impl Notebook {
    pub(crate) fn new(world: &Arc<World>) -> Arc<Self> {
        Arc::new(Self { world: Arc::clone(world), lines: Mutex::default(), mode: Mutex::new(Mode::Works) })
    }

    pub(crate) fn set(&self, mode: Mode) -> Mode {
        std::mem::replace(&mut *self.mode.lock().unwrap(), mode)
    }

    pub(crate) fn mode(&self) -> Mode {
        *self.mode.lock().unwrap()
    }

    /// Returns the entries from the given position on.
    pub(crate) fn lines(&self, from: usize) -> Vec<Line> {
        self.lines.lock().unwrap()[from..].to_vec()
    }

    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.lines.lock().unwrap().iter().filter(|line| line.entry.kind == kind).count()
    }

    fn keep(&self, entry: Entry, is_durable: bool) {
        let mut lines = self.lines.lock().unwrap();
        lines.push(Line { at: self.world.tick(), entry, is_durable });
    }
}

impl Ledger for Notebook {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        Box::pin(async move {
            let mut queued = Queued { notebook: self, entry: Some(entry) };
            if self.mode() == Mode::Slow {
                tokio::time::sleep(A_WHILE).await;
            } else {
                tokio::task::yield_now().await;
            }
            match self.mode() {
                Mode::Works | Mode::Slow => {
                    queued
                        .entry
                        .take()
                        .into_iter()
                        .for_each(|entry| self.keep(entry, when == Durability::Durable));
                    Ok(())
                }
                Mode::Fails | Mode::Crashed => {
                    queued.entry = None;
                    Err(LedgerError { why: "the disk is full".to_owned() })
                }
            }
        })
    }

    fn note(&self, entry: Entry) {
        if self.mode() != Mode::Crashed {
            self.keep(entry, false);
        }
    }
}
