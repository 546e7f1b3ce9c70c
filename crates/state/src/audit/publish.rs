//! Hands checkpoints to the sinks on a thread of its own, so that no sink can delay the log.
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::checkpoint::{Checkpoint, CheckpointSink};

/// The most checkpoints that wait for slow sinks. Each checkpoint covers all earlier ones, so
/// skipping one loses nothing.
const WAITING: usize = 16;
/// How long closing waits for the sinks.
const PARTING: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Publisher {
    sender: Option<SyncSender<Checkpoint>>,
    /// Disconnected when the thread has ended.
    done: Receiver<()>,
}

impl Publisher {
    pub(super) fn start(mut sinks: Vec<Box<dyn CheckpointSink>>) -> io::Result<Self> {
        let (sender, checkpoints) = sync_channel::<Checkpoint>(WAITING);
        let (alive, done) = sync_channel(0);
        if !sinks.is_empty() {
            thread::Builder::new().name("audit-anchors".to_owned()).spawn(move || {
                let _alive: SyncSender<()> = alive;
                for checkpoint in checkpoints {
                    for sink in &mut sinks {
                        if let Err(error) = sink.publish(&checkpoint) {
                            tracing::warn!(%error, seq = checkpoint.seq, "a checkpoint of the audit log was not taken");
                        }
                    }
                }
            })?;
        }
        Ok(Self { sender: Some(sender), done })
    }

    pub(super) fn publish(&self, checkpoint: Checkpoint) {
        if let Some(sender) = &self.sender {
            // This fails if the queue is full or the thread has ended; then the checkpoint is
            // skipped.
            let _ = sender.try_send(checkpoint);
        }
    }

    /// Waits for the pending checkpoints, up to a deadline.
    pub(super) fn close(&mut self) {
        self.sender = None;
        let _ = self.done.recv_timeout(PARTING);
    }
}
