//! Reads the file of settings again in a thread of its own, which began before the sandbox and is
//! not held by it: a program in a sandbox that could read that file could read everything in its
//! folder, because a replaced file is a different file to the sandbox.
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::file::{self, FileText};

/// Can do nothing but read one file.
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

    /// Why it can't be read, in words. None if there is no file.
    pub(super) fn read(&self) -> Result<Option<FileText>, String> {
        let channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || "can't be read: its reader has ended".to_owned();
        channels.asked.send(()).map_err(|_| gone())?;
        channels.answers.recv().map_err(|_| gone())?
    }
}
