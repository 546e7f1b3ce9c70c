//! One connection made of lines. It sends requests, matches answers to them, and ends the child
//! process behind it.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::era::Version;
use overt_wire::param_headers::HeaderArgument;
use overt_wire::{BoxFuture, Id, Message};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::AbortHandle;

use super::queue::NotQueued;
use super::reader::Reader;
use super::writer::Writer;
use crate::child::Child;
use crate::client::calls::{Calls, Ending};
use crate::client::error::{ClientError, Delivery};
use crate::client::incoming::IncomingMessages;
use crate::client::link::{Link, OnDrop};
use crate::limits::Limits;

/// A pair of byte streams, and the child process behind them if there is one.
pub(in crate::client) struct Pipe {
    calls: Arc<Calls>,
    writer: Writer,
    incoming: Arc<IncomingMessages>,
    child: Option<Arc<Child>>,
    reader: AbortHandle,
}

/// Forgets a request when it is dropped, and cancels it if `on_drop` says so.
struct RequestGuard<'a> {
    pipe: &'a Pipe,
    id: &'a Id,
    on_drop: OnDrop,
}

/// How long to wait for a better explanation of an end: the exit status, and the error output.
const EXPLANATION: Duration = Duration::from_millis(300);

// === impl Pipe ===

impl Pipe {
    pub(in crate::client) fn new(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
        child: Option<Child>,
        incoming: Arc<IncomingMessages>,
        limits: &Limits,
    ) -> Self {
        let calls = Arc::new(Calls::new());
        let child = child.map(Arc::new);
        let writer = Writer::start(input, Arc::clone(&calls), limits);
        let reader = Reader {
            calls: Arc::clone(&calls),
            incoming: Arc::clone(&incoming),
            outbox: Arc::new(writer.clone()),
            limits: limits.json(),
        };
        let gone = child.as_ref().map(|child| child.gone());
        // The reader needs the child only to explain the end. A strong reference would keep the
        // child alive.
        let explain = child.as_ref().map(Arc::downgrade);
        let reader = tokio::spawn(async move {
            let broken = match gone {
                Some(gone) => tokio::select! {
                    biased;
                    broken = reader.run(output) => broken,
                    () = gone => None,
                },
                None => reader.run(output).await,
            };
            let child = explain.and_then(|child| child.upgrade());
            let ending = match (broken, child) {
                (Some(reason), child) => {
                    if let Some(child) = child {
                        child.kill();
                    }
                    Ending::of(reason)
                }
                (None, Some(child)) => ending_of(&child).await,
                (None, None) => Ending::of("the other side closed it"),
            };
            reader.calls.close(ending);
        });
        Self { calls, writer, incoming, child, reader: reader.abort_handle() }
    }

    async fn not_queued(&self, reason: NotQueued) -> ClientError {
        match reason {
            NotQueued::Closed => self.calls.ended(Delivery::NotSent).await,
            NotQueued::Full { limit } => ClientError::QueueFull { limit },
        }
    }
}

impl Link for Pipe {
    fn ask<'a>(
        &'a self,
        request: &'a Message,
        _mirrored: &'a [HeaderArgument],
        on_drop: OnDrop,
    ) -> BoxFuture<'a, Result<Message, ClientError>> {
        Box::pin(async move {
            let Some(id) = request.id() else {
                return Err(ClientError::Protocol { what: "a request needs an id".into() });
            };
            let Some(answer) = self.calls.expect(id) else {
                return Err(self.calls.ended(Delivery::NotSent).await);
            };
            // Until the request is in the queue, the server has nothing to cancel.
            let mut waiting = RequestGuard { pipe: self, id, on_drop: OnDrop::Forget };
            if let Err(reason) = self.writer.send_request(id, request).await {
                return Err(self.not_queued(reason).await);
            }
            waiting.on_drop = on_drop;
            match answer.await {
                Ok(answer) => answer,
                Err(_) => {
                    let unsent = self.writer.withdraw(id);
                    Err(self.calls.ended(if unsent { Delivery::NotSent } else { Delivery::MaybeSent }).await)
                }
            }
        })
    }

    fn tell<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async move {
            match self.writer.send(message).await {
                Ok(()) => Ok(()),
                Err(reason) => Err(self.not_queued(reason).await),
            }
        })
    }

    fn settle(&self, version: Version) {
        self.incoming.settle(version);
    }

    fn ended(&self) -> BoxFuture<'static, String> {
        self.calls.reason()
    }

    fn is_open(&self) -> bool {
        self.calls.is_open()
    }

    fn stderr_tail(&self) -> String {
        self.child.as_ref().map(|child| child.stderr_tail()).unwrap_or_default()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.incoming.shut();
            self.writer.close();
            if let Some(child) = &self.child {
                child.end().await;
            }
        })
    }

    fn abandon(&self) {
        self.incoming.shut();
        self.writer.close();
        self.reader.abort();
        if let Some(child) = &self.child {
            child.kill();
        }
        self.calls.close(Ending::of("we ended it"));
    }
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        let unanswered = self.pipe.calls.forget(self.id);
        if unanswered && self.on_drop == OnDrop::Cancel {
            self.pipe.writer.cancel(self.id);
        }
    }
}

/// Explains how the child ended, with its last error output.
async fn ending_of(child: &Child) -> Ending {
    let reason = match child.exit_status(EXPLANATION).await {
        Some(status) => format!("the program ended with {status}"),
        None => "the program closed its output".to_owned(),
    };
    // The last output may still be in the pipe.
    child.stderr_ended(EXPLANATION).await;
    Ending { reason, stderr: child.stderr_tail() }
}
