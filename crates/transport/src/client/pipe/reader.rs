//! Reads the lines of a server. Answers go to the waiting requests, questions to the incoming
//! messages, and noise is tolerated.
use std::sync::Arc;

use overt_wire::frame::{LineFrame, LineFramer};
use overt_wire::{Kind, Message, json};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::client::calls::Calls;
use crate::client::incoming::{AnswerSink, IncomingMessages};

/// Sorts the lines of a server.
pub(super) struct Reader {
    pub(super) calls: Arc<Calls>,
    pub(super) incoming: Arc<IncomingMessages>,
    pub(super) outbox: Arc<dyn AnswerSink>,
    pub(super) limits: json::Limits,
}

impl Reader {
    /// Reads until the stream ends. If the stream can no longer be trusted, stops and returns the
    /// reason.
    pub(super) async fn run(&self, mut output: impl AsyncRead + Unpin) -> Option<String> {
        let mut framer = LineFramer::with_limit(self.limits.max_bytes);
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = output.read(&mut buffer).await {
            framer.push(&buffer[..count]);
            while let Some(frame) = framer.next_line() {
                match frame {
                    LineFrame::Line(line) => self.line(line).await,
                    // It is unknown which request the line answers, so that request would wait
                    // forever (UP-06).
                    LineFrame::TooLong { .. } => return Some(self.too_long()),
                }
            }
            // The end of the line may never arrive.
            if framer.is_over_limit() {
                return Some(self.too_long());
            }
        }
        if let Some(LineFrame::Line(line)) = framer.finish() {
            self.line(line).await;
        }
        None
    }

    fn too_long(&self) -> String {
        format!("it sent a line over the limit of {} bytes", self.limits.max_bytes)
    }

    async fn line(&self, line: Vec<u8>) {
        if line.trim_ascii_start().first() != Some(&b'{') {
            return self.incoming.noise(&line);
        }
        let start = line[..line.len().min(1024)].to_vec();
        match Message::parse(line, &self.limits) {
            Ok(message) if matches!(message.kind(), Kind::Result | Kind::Error) => {
                if !self.calls.complete(message) {
                    self.incoming.drop_message("an answer that came late, twice or to no request of ours");
                }
            }
            Ok(message) => self.incoming.take(message, &self.outbox, None).await,
            // Never answered, because two peers would answer each other forever (UP-01).
            Err(reject) if reject.looks_like_response => {
                self.incoming.drop_message(&reject.error.message);
                self.calls.refuse(&reject);
            }
            Err(_) => self.incoming.noise(&start),
        }
    }
}
