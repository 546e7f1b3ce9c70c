//! The stages of a server's shutdown. Requests that are being answered watch them, so that each
//! gets an answer in time.
use tokio::sync::watch;

/// The stages of a shutdown, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Serving,
    /// The client sends nothing more. Subscriptions end, because nothing else would end them.
    InputEnded,
    /// The drain time has ended. Every request ends.
    Over,
}

/// Advances a server from stage to stage, never back.
#[derive(Debug)]
pub(crate) struct Stages {
    stage: watch::Sender<Stage>,
}

/// One request's view of the stage.
#[derive(Debug, Clone)]
pub(crate) struct StageWatch {
    stage: watch::Receiver<Stage>,
}

impl Stages {
    pub(crate) fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::Serving) }
    }

    pub(crate) fn advance(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let advanced = *now < stage;
            *now = stage.max(*now);
            advanced
        });
    }

    pub(crate) fn watch(&self) -> StageWatch {
        StageWatch { stage: self.stage.subscribe() }
    }
}

impl StageWatch {
    /// Completes when the server has reached a stage, or was dropped.
    pub(crate) async fn reached(&mut self, stage: Stage) {
        let _ = self.stage.wait_for(|now| *now >= stage).await;
    }
}
