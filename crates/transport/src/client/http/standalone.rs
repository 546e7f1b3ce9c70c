//! The standalone stream, for messages that belong to no request. Legacy servers may offer one;
//! many don't.
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::intake::Intake;
use super::resume::ResumePoint;

/// A stream that was open for this long counts as useful.
const LASTING: Duration = Duration::from_secs(5);

/// Listens until the server has no stream to offer or the task is aborted. `opened` is signalled
/// when it is known whether there is a stream. Silence is normal here, so there is no deadline.
pub(super) async fn listen(intake: Arc<Intake>, opened: oneshot::Sender<()>) {
    let answer = intake.agent.get(None).await;
    let _ = opened.send(());
    // 405 is the regular answer if there is no stream.
    let Ok(mut events) = answer else { return tracing::debug!("no standalone stream") };
    let mut resume = ResumePoint::default();
    loop {
        let began = Instant::now();
        while let Ok(event) = events.next().await {
            resume.note(&event);
            intake.take(event, None).await;
        }
        // A proxy may close a stream after a long silence; that is not a failure.
        if began.elapsed() >= LASTING {
            resume.lasted();
        }
        match intake.resume(&mut resume).await {
            Some(again) => events = again,
            None => return,
        }
    }
}
