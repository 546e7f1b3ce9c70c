//! How near a server is to its end. Requests that are being answered watch it, so that each gets an
//! answer in time.
use tokio::sync::watch;

/// The stages, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Serving,
    /// The client sends nothing more. Subscriptions end, because nothing else would end them.
    InputEnded,
    /// The time to finish is over. Every request ends.
    Over,
}

/// Moves a server from stage to stage, never back.
#[derive(Debug)]
pub(crate) struct Stages {
    stage: watch::Sender<Stage>,
}

/// For one request.
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
    /// Completes when the server has reached a stage, or is gone.
    pub(crate) async fn reached(&mut self, stage: Stage) {
        let _ = self.stage.wait_for(|now| *now >= stage).await;
    }
}
