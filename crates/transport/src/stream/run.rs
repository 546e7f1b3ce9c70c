//! The main loop of one conversation: reads, writes, and shuts down.
use std::pin::pin;
use std::time::Duration;

use overt_wire::frame::LineFramer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until};

use super::{Conversation, StreamEnd};
use crate::serve::Stage;

/// How the conversation is shutting down.
struct StreamShutdown {
    why: StreamEnd,
    /// When the remaining requests are answered with an error; once `is_over`, until when these
    /// answers may be written. `None`: requests end at their own deadlines.
    until: Option<Instant>,
    is_over: bool,
}

/// How long the client may take to read the last answers after the drain time.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

impl Conversation {
    pub(super) async fn run(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
        stop: impl Future<Output = ()>,
        gone: impl Future<Output = ()>,
    ) -> StreamEnd {
        let (mut stop, mut gone) = (pin!(stop), pin!(gone));
        let mut framer = LineFramer::with_limit(self.limits.max_message_bytes);
        let mut chunk = vec![0; 64 << 10];
        // When the client is given up as stalled. Moves on whenever the client reads something.
        let mut stalled = Instant::now() + self.limits.write_deadline;
        let mut ending: Option<StreamShutdown> = None;
        loop {
            let had_unsent = self.unsent.len() > 0;
            self.take_waiting().await;
            // Handle messages only while their answers can be queued: one read may contain hundreds
            // of requests (RPC-16).
            while self.has_room()
                && ending.is_none()
                && let Some(frame) = framer.next_line()
            {
                self.take(frame).await;
            }
            if !had_unsent {
                stalled = Instant::now() + self.limits.write_deadline;
            }
            if let Some(ending) = &ending
                && self.is_idle()
            {
                return if writer.flush().await.is_ok() { ending.why } else { StreamEnd::OutputClosed };
            }
            let has_room = self.has_room();
            let is_stopped = ending.as_ref().is_some_and(|ending| ending.why == StreamEnd::Stopped);
            let until = ending.as_ref().and_then(|ending| ending.until);
            // The branches are polled in random order. Neither a client that sends without pause
            // nor a server that floods it can starve the other branches (RPC-17).
            tokio::select! {
                () = &mut stop, if !is_stopped => {
                    self.stop_reading();
                    self.handler.shutdown();
                    let until = Some(Instant::now() + self.limits.drain);
                    ending = Some(StreamShutdown { why: StreamEnd::Stopped, until, is_over: false });
                }
                wrote = self.unsent.write_to(&mut writer), if self.unsent.len() > 0 => match wrote {
                    Ok(count) if count > 0 => {
                        self.unsent.advance(count);
                        stalled = Instant::now() + self.limits.write_deadline;
                    }
                    _ => return StreamEnd::OutputClosed,
                },
                Some(queued) = self.queued.recv(), if self.unsent.len() < self.limits.max_queued_bytes => {
                    if self.unsent.len() == 0 {
                        stalled = Instant::now() + self.limits.write_deadline;
                    }
                    self.unsent.push(queued.message);
                }
                read = reader.read(&mut chunk), if has_room && ending.is_none() => match read {
                    Ok(count) if count > 0 => framer.push(&chunk[..count]),
                    _ => {
                        let last = std::mem::replace(&mut framer, LineFramer::with_limit(0));
                        if let Some(frame) = last.finish() {
                            self.take(frame).await;
                        }
                        self.stop_reading();
                        // Other conversations may use the same handler, so it is not shut down.
                        self.stages.advance(Stage::InputEnded);
                        ending = Some(StreamShutdown { why: StreamEnd::InputClosed, until: None, is_over: false });
                    }
                },
                () = self.in_flight.notification_ended() => {}
                () = &mut gone, if ending.is_some() => return StreamEnd::OutputClosed,
                () = sleep_until(stalled), if self.unsent.len() > 0 => {
                    tracing::warn!("the client does not read; giving it up");
                    return StreamEnd::OutputClosed;
                }
                () = sleep_until(until.unwrap_or(stalled)), if until.is_some() => {
                    let Some(ending) = &mut ending else { continue };
                    if ending.is_over {
                        tracing::warn!("the client does not read its last answers");
                        return ending.why;
                    }
                    ending.is_over = true;
                    ending.until = Some(Instant::now() + LAST_ANSWERS);
                    self.stages.advance(Stage::Over);
                }
            }
        }
    }

    /// Notes that nothing is read from now on, so no question can be answered.
    fn stop_reading(&self) {
        self.session.end_input();
        self.questions.close();
    }
}
