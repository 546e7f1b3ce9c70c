//! Makes subscriptions, and starts the owner task with the first one.
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::super::error::{FileError, code};
use super::interest::{Interest, Subject};
use super::owner::{Owner, Request};

/// Most subscriptions that wait for the owner.
const QUEUE: usize = 64;

/// Makes subscriptions.
#[derive(Debug, Default)]
pub(crate) struct WatchService {
    /// The channel to the current owner. When a runtime ends, its owner ends too, and the next
    /// subscription starts a new one.
    owner: Mutex<Option<mpsc::Sender<Request>>>,
}

/// A subscription. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Subscribed {
    _interest: Arc<Interest>,
}

impl WatchService {
    /// Notifies `subject.changes` of every change from now on.
    pub(crate) async fn subscribe(&self, subject: Subject) -> Result<Subscribed, FileError> {
        let shown = subject.shown.clone();
        let (interest, folder) = subject.split();
        let interest = Arc::new(interest);
        let (answer, answered) = oneshot::channel();
        let request = Request { interest: Arc::downgrade(&interest), folder, shown, answer };
        let owner = self.owner()?;
        owner.send(request).await.map_err(|_| ended())?;
        answered.await.map_err(|_| ended())??;
        Ok(Subscribed { _interest: interest })
    }

    fn owner(&self) -> Result<mpsc::Sender<Request>, FileError> {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = owner.as_ref().filter(|running| !running.is_closed()) {
            return Ok(running.clone());
        }
        let (requests, requested) = mpsc::channel(QUEUE);
        let task = Owner::start(requested).map_err(|error| {
            let problem = format!("the system can't watch files: {error}");
            FileError::new(code::IO, problem, "Read the files again when you need their content.")
        })?;
        tokio::spawn(task.run());
        *owner = Some(requests.clone());
        Ok(requests)
    }
}

fn ended() -> FileError {
    FileError::new(
        code::BUSY,
        "the server is stopping, so nothing is watched",
        "Subscribe again when it runs.",
    )
}
