//! Serves a handler on this process's own standard input and output.
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::Arc;

use overt_wire::{BoxFuture, Handler};
use rustix::fs::FileType;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::limits::Limits;
use crate::stream::{self, StreamEnd};

/// Bytes that the output pipe can hold. With the system's 64 KiB, a long answer would wake the
/// client up once per 64 KiB.
const PIPE: usize = 256 << 10;

/// Serves until standard input ends, standard output breaks, or `stop` completes.
///
/// The future is boxed here, so that it is compiled with the options of this crate and not with
/// those of its caller.
pub fn serve<'a>(
    handler: Arc<dyn Handler>,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'a,
) -> BoxFuture<'a, io::Result<StreamEnd>> {
    boxed(handler, limits, Vec::new(), Box::pin(stop))
}

/// Serves as [`serve`] does, after bytes that were already read from standard input.
pub fn serve_after<'a>(
    read_ahead: Vec<u8>,
    handler: Arc<dyn Handler>,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'a,
) -> BoxFuture<'a, io::Result<StreamEnd>> {
    boxed(handler, limits, read_ahead, Box::pin(stop))
}

/// Not generic, unlike [`serve`].
fn boxed(
    handler: Arc<dyn Handler>,
    limits: Limits,
    read_ahead: Vec<u8>,
    stop: BoxFuture<'_, ()>,
) -> BoxFuture<'_, io::Result<StreamEnd>> {
    Box::pin(serve_until(handler, limits, read_ahead, stop))
}

async fn serve_until(
    handler: Arc<dyn Handler>,
    limits: Limits,
    read_ahead: Vec<u8>,
    stop: BoxFuture<'_, ()>,
) -> io::Result<StreamEnd> {
    let input = open_input(std::io::stdin().as_fd().try_clone_to_owned()?)?;
    let input: Pin<Box<dyn AsyncRead + Send>> = match read_ahead.is_empty() {
        true => input,
        false => Box::pin(io::Cursor::new(read_ahead).chain(input)),
    };
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    let gone = nobody_reads(output.try_clone()?);
    let output = open_output(output)?;
    Ok(stream::serve_until_gone(handler, input, output, limits, stop, gone).await)
}

/// Completes when the other end of a pipe or socket is closed. A file has no other end.
async fn nobody_reads(output: OwnedFd) {
    let closed = match kind(&output) {
        Ok(FileType::Fifo) => pipe_closed(output).await,
        Ok(FileType::Socket) => socket_closed(output).await,
        _ => Err(io::ErrorKind::Unsupported.into()),
    };
    if closed.is_err() {
        // A failing write will report it.
        std::future::pending::<()>().await;
    }
}

async fn pipe_closed(output: OwnedFd) -> io::Result<()> {
    pipe::Sender::from_owned_fd(output)?.ready(Interest::ERROR).await.map(drop)
}

async fn socket_closed(output: OwnedFd) -> io::Result<()> {
    let output = socket(output)?;
    while !output.ready(Interest::WRITABLE).await?.is_write_closed() {
        // The room for writes does not matter here. This waits for the next change.
        let _ = output.try_io(Interest::WRITABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
    }
    Ok(())
}

/// Opens the input. Pipes and sockets are read without a thread; everything else (a file, a
/// terminal) is read by a thread.
fn open_input(fd: OwnedFd) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    Ok(match kind(&fd)? {
        FileType::Fifo => Box::pin(pipe::Receiver::from_owned_fd(fd)?),
        FileType::Socket => Box::pin(socket(fd)?),
        _ => Box::pin(pipe::Receiver::from_owned_fd(read_by_thread(fd)?.into())?),
    })
}

/// Copies the input to a pipe, in a thread that ends with the program. A read from a terminal can't
/// be cancelled, and on shutdown the runtime would wait for a read on its own threads.
fn read_by_thread(fd: OwnedFd) -> io::Result<io::PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    let mut input = std::fs::File::from(fd);
    std::thread::Builder::new().name("standard input".to_owned()).spawn(move || {
        // An error ends the input.
        let _ = io::copy(&mut input, &mut writer);
    })?;
    Ok(reader)
}

fn open_output(fd: OwnedFd) -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    Ok(match kind(&fd)? {
        FileType::Fifo => {
            // The system's maximum applies. A smaller pipe is only slower.
            let _ = rustix::pipe::fcntl_setpipe_size(&fd, PIPE);
            Box::pin(pipe::Sender::from_owned_fd(fd)?)
        }
        FileType::Socket => Box::pin(socket(fd)?),
        _ => Box::pin(tokio::io::stdout()),
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

fn kind(fd: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}
