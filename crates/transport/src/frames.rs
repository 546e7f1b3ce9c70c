//! Requests and answers between two processes of Overt, over a stream socket. A frame has a length,
//! the number of its request, and a body of JSON. A request without a body cancels the one with its
//! number.
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::BoxFuture;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

/// The longest body, in bytes: four times the longest message.
const LONGEST: usize = 64 << 20;
/// The most frames that wait to be written.
const QUEUE: usize = 64;
/// The most requests that are being answered.
const MOST_OPEN: usize = 64;
/// The number of a request that has no answer.
const NO_ANSWER: u64 = 0;

/// The asking end. Clones share it; the last one closes the socket.
#[derive(Clone)]
pub struct FrameClient(Arc<Shared>);

struct Shared {
    waiting: Arc<Mutex<Waiting>>,
    frames: mpsc::Sender<Vec<u8>>,
    last: AtomicU64,
    reader: AbortHandle,
}

/// The requests without an answer yet; `None` if no more answers come.
type Waiting = Option<HashMap<u64, oneshot::Sender<Vec<u8>>>>;

/// The other process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process has ended")]
pub struct Gone;

/// An answer to come.
pub struct PendingAnswer {
    pub answer: BoxFuture<'static, Vec<u8>>,
    /// Whether serving ends when the answer is written.
    pub is_last: bool,
}

impl FrameClient {
    /// Starts to talk to the process at the other end.
    pub fn new(socket: std::os::unix::net::UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let (reading, writing) = UnixStream::from_std(socket)?.into_split();
        let (frames, queue) = mpsc::channel(QUEUE);
        let waiting = Arc::new(Mutex::new(Some(HashMap::new())));
        tokio::spawn(write_frames(writing, queue));
        let reader = tokio::spawn(read_answers(reading, Arc::clone(&waiting))).abort_handle();
        Ok(Self(Arc::new(Shared { waiting, frames, last: AtomicU64::new(NO_ANSWER), reader })))
    }

    /// Sends a request and waits for its answer. Dropping the future cancels the request.
    pub async fn ask(&self, body: &[u8]) -> Result<Vec<u8>, Gone> {
        let number = self.0.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        self.0.waiting().as_mut().ok_or(Gone)?.insert(number, sender);
        let mut cancel = Cancel { client: &self.0, number, is_done: false };
        self.0.frames.send(frame(number, body)).await.map_err(|_| Gone)?;
        let answer = answer.await.map_err(|_| Gone);
        cancel.is_done = true;
        answer
    }

    /// Sends what has no answer. If the queue is full, the other process finds out by itself.
    pub fn tell(&self, body: &[u8]) {
        let _ = self.0.frames.try_send(frame(NO_ANSWER, body));
    }

    pub fn is_gone(&self) -> bool {
        self.0.waiting().is_none()
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The writer ends with its queue, and both together close the socket.
        self.reader.abort();
    }
}

/// Cancels a request whose future is dropped.
struct Cancel<'a> {
    client: &'a Shared,
    number: u64,
    is_done: bool,
}

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        if let Some(waiting) = self.client.waiting().as_mut() {
            waiting.remove(&self.number);
        }
        let _ = self.client.frames.try_send(frame(self.number, &[]));
    }
}

fn frame(number: u64, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(body.len() + 12);
    frame.extend(length.to_le_bytes());
    frame.extend(number.to_le_bytes());
    frame.extend(body);
    frame
}

async fn read_frame(reading: &mut BufReader<OwnedReadHalf>) -> io::Result<(u64, Vec<u8>)> {
    let length = usize::try_from(reading.read_u32_le().await?).unwrap_or(usize::MAX);
    let number = reading.read_u64_le().await?;
    if length > LONGEST {
        return Err(io::Error::other("a frame is too long"));
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await?;
    Ok((number, body))
}

async fn write_frames(mut writing: OwnedWriteHalf, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(frame) = queue.recv().await {
        if writing.write_all(&frame).await.is_err() {
            return;
        }
    }
}

async fn read_answers(reading: OwnedReadHalf, waiting: Arc<Mutex<Waiting>>) {
    let mut reading = BufReader::new(reading);
    let lock = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
    while let Ok((number, body)) = read_frame(&mut reading).await {
        let asked = lock().as_mut().and_then(|waiting| waiting.remove(&number));
        if let Some(asked) = asked {
            let _ = asked.send(body);
        }
    }
    *lock() = None;
}

/// Answers requests until the other process closes the socket, until the last answer, or until
/// nothing was asked for the time `idle`. `answer` is called in the order in which requests arrive.
pub async fn serve_frames(
    socket: std::os::unix::net::UnixStream,
    idle: Option<Duration>,
    answer: impl Fn(Vec<u8>) -> Option<PendingAnswer>,
) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let (reading, writing) = UnixStream::from_std(socket)?.into_split();
    let mut reading = BufReader::new(reading);
    let (frames, queue) = mpsc::channel::<Vec<u8>>(QUEUE);
    let writer = tokio::spawn(write_frames(writing, queue));
    let (last, mut is_over) = mpsc::channel::<()>(1);
    let mut open: HashMap<u64, AbortHandle> = HashMap::new();
    'serving: loop {
        let mut read = std::pin::pin!(read_frame(&mut reading));
        let (number, body) = loop {
            tokio::select! {
                read = &mut read => match read {
                    Ok(read) => break read,
                    Err(_) => break 'serving,
                },
                Some(()) = is_over.recv() => break 'serving,
                () = tokio::time::sleep(idle.unwrap_or(Duration::MAX)), if idle.is_some() => {
                    if open.values().all(AbortHandle::is_finished) {
                        break 'serving;
                    }
                }
            }
        };
        open.retain(|_, task| !task.is_finished());
        if body.is_empty() {
            open.remove(&number).into_iter().for_each(|task| task.abort());
            continue;
        }
        let Some(PendingAnswer { answer, is_last }) = answer(body) else { continue };
        if open.len() >= MOST_OPEN {
            return Err(io::Error::other("too many requests at a time"));
        }
        let (frames, last) = (frames.clone(), last.clone());
        let task = tokio::spawn(async move {
            let _ = frames.send(frame(number, &answer.await)).await;
            if is_last {
                let _ = last.send(()).await;
            }
        });
        open.insert(number, task.abort_handle());
    }
    open.values().for_each(AbortHandle::abort);
    drop(frames);
    let _ = writer.await;
    Ok(())
}

impl fmt::Debug for PendingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAnswer").field("is_last", &self.is_last).finish_non_exhaustive()
    }
}

impl fmt::Debug for FrameClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameClient").field("is_gone", &self.is_gone()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn echo(body: Vec<u8>) -> Option<PendingAnswer> {
        let is_last = body == b"last";
        let answer: BoxFuture<'static, Vec<u8>> = match &body[..] {
            b"never" => Box::pin(std::future::pending()),
            _ => Box::pin(std::future::ready(body)),
        };
        Some(PendingAnswer { answer, is_last })
    }

    #[tokio::test]
    async fn answers_find_their_requests_and_the_end_is_seen() {
        let (here, there) = UnixStream::pair().unwrap();
        let serving = tokio::spawn(serve_frames(there, None, echo));
        let client = FrameClient::new(here).unwrap();
        let long = vec![7; 3 << 20];
        let (never, one, two) = (client.ask(b"never"), client.ask(b"one"), client.ask(&long));
        let both = async { (one.await, two.await) };
        let (one, two) = tokio::select! {
            both = both => both,
            _ = never => panic!("it has no answer"),
        };
        assert_eq!((one.unwrap(), two.unwrap()), (b"one".to_vec(), long));
        assert_eq!(client.ask(b"last").await.unwrap(), b"last");
        serving.await.unwrap().unwrap();
        assert_eq!(client.ask(b"more").await, Err(Gone));
        assert!(client.is_gone());
    }

    #[tokio::test]
    async fn a_request_that_is_given_up_is_cancelled() {
        struct Counted(Arc<AtomicUsize>);
        impl Drop for Counted {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (here, there) = UnixStream::pair().unwrap();
        let dropped = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&dropped);
        tokio::spawn(serve_frames(there, None, move |_| {
            let counted = Counted(Arc::clone(&counting));
            let answer = Box::pin(async move {
                let _counted = counted;
                std::future::pending().await
            });
            Some(PendingAnswer { answer, is_last: false })
        }));
        let client = FrameClient::new(here).unwrap();
        let given_up = tokio::time::timeout(Duration::from_millis(50), client.ask(b"x")).await;
        assert!(given_up.is_err());
        for _ in 0..200 {
            if dropped.load(Ordering::Relaxed) == 1 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the request goes on");
    }
}
