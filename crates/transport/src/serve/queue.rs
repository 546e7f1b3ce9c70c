//! Messages that wait to be written to one client, limited in number and in bytes. Senders wait for
//! room.
use std::sync::Arc;

use overt_wire::{Closed, Message};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The sending side of the queue.
#[derive(Debug, Clone)]
pub(crate) struct MessageQueue {
    messages: mpsc::Sender<Queued>,
    room: Arc<Semaphore>,
    max_bytes: usize,
}

/// A message in the queue. It occupies room until it is dropped.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) message: Message,
    _room: OwnedSemaphorePermit,
}

/// Reserved room for one message.
pub(crate) struct QueuePermit<'a> {
    place: mpsc::Permit<'a, Queued>,
    room: OwnedSemaphorePermit,
}

impl MessageQueue {
    pub(crate) fn new(max_messages: usize, max_bytes: usize) -> (Self, mpsc::Receiver<Queued>) {
        let (messages, queued) = mpsc::channel(max_messages.max(1));
        // A semaphore can't hand out more permits than this at once.
        let max_bytes = max_bytes.clamp(1, u32::MAX as usize >> 3);
        (Self { messages, room: Arc::new(Semaphore::new(max_bytes)), max_bytes }, queued)
    }

    /// Adds a message. Waits for room in the queue, not for the client.
    pub(crate) async fn send(&self, message: Message) -> Result<(), Closed> {
        self.reserve(&message).await?.send(message);
        Ok(())
    }

    /// Waits until the queue has room for a message.
    pub(crate) async fn reserve(&self, message: &Message) -> Result<QueuePermit<'_>, Closed> {
        let room = Arc::clone(&self.room).acquire_many_owned(self.cost(message));
        // A reader that stops closes the channel, not the semaphore.
        let room = tokio::select! {
            biased;
            room = room => room.map_err(|_| Closed)?,
            () = self.messages.closed() => return Err(Closed),
        };
        let place = self.messages.reserve().await.map_err(|_| Closed)?;
        Ok(QueuePermit { place, room })
    }

    /// Adds a message without waiting. Returns false if there is no room.
    pub(crate) fn try_send(&self, message: Message) -> bool {
        match Arc::clone(&self.room).try_acquire_many_owned(self.cost(&message)) {
            Ok(room) => self.messages.try_send(Queued { message, _room: room }).is_ok(),
            Err(_) => false,
        }
    }

    /// A message that is larger than the whole queue waits alone.
    fn cost(&self, message: &Message) -> u32 {
        u32::try_from(message.text().len().min(self.max_bytes)).unwrap_or(u32::MAX)
    }
}

impl QueuePermit<'_> {
    pub(crate) fn send(self, message: Message) {
        self.place.send(Queued { message, _room: self.room });
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use overt_wire::json::Object;

    use super::*;

    fn message(bytes: usize) -> Message {
        let params = Object::new().string("text", &"x".repeat(bytes)).finish();
        Message::notification("n", Some(params.as_json()))
    }

    #[tokio::test]
    async fn g_48_a_queue_is_bounded_in_bytes_and_in_messages() {
        for (max_messages, max_bytes, bytes, fit) in
            [(256, 1000, 400, 2), (3, 1 << 20, 10, 3), (9, 10, 500, 1)]
        {
            let (queue, mut queued) = MessageQueue::new(max_messages, max_bytes);
            for _ in 0..fit {
                queue.send(message(bytes)).await.unwrap();
            }
            assert!(!queue.try_send(message(bytes)));
            let mut next = pin!(queue.send(message(bytes)));
            let mut context = Context::from_waker(Waker::noop());
            assert!(next.as_mut().poll(&mut context).is_pending(), "{max_messages} {max_bytes}");
            drop(queued.recv().await);
            assert!(matches!(next.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
        }
    }

    #[tokio::test]
    async fn g_48_who_waits_for_room_hears_that_the_client_is_gone() {
        let (queue, queued) = MessageQueue::new(1, 10);
        queue.send(message(10)).await.unwrap();
        let (sent, ()) = tokio::join!(queue.send(message(10)), async { drop(queued) });
        assert_eq!(sent, Err(Closed));
    }
}
