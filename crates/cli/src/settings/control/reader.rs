//! Reads the settings file again in a separate thread, which started before the sandbox and is not
//! confined by it. A sandboxed program that could read that file could read everything in its
//! folder, because to the sandbox a replaced file is a different file.
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::file::{self, FileText};

/// A handle to the thread. It can only ask for one file.
#[derive(Debug)]
pub(super) struct Reader(Mutex<Channels>);

#[derive(Debug)]
struct Channels {
    asked: SyncSender<()>,
    answers: Receiver<Result<Option<FileText>, String>>,
}

impl Reader {
    pub(super) fn start(path: PathBuf) -> io::Result<Self> {
        let (asked, questions) = sync_channel::<()>(1);
        let (answer, answers) = sync_channel(1);
        thread::Builder::new().name("settings".to_owned()).spawn(move || {
            while questions.recv().is_ok() {
                if answer.send(file::read_if_there(&path)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self(Mutex::new(Channels { asked, answers })))
    }

    /// Reads the file; `None` if it does not exist. The error says in words why it cannot be read.
    pub(super) fn read(&self) -> Result<Option<FileText>, String> {
        let channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || "can't be read: its reader has ended".to_owned();
        channels.asked.send(()).map_err(|_| gone())?;
        channels.answers.recv().map_err(|_| gone())?
    }
}
