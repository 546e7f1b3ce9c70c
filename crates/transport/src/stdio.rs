//! Serves a handler on this process's own standard input and output.
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::Arc;

use overt_wire::Handler;
use rustix::fs::FileType;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::limits::Limits;
use crate::stream::{self, Ended};

/// Bytes that wait in a pipe for the client. With the system's 64 KiB a long answer wakes it up for each piece of that size.
const PIPE: usize = 256 << 10;

/// Serves until standard input ends, standard output breaks, or `stop` completes.
pub async fn serve(
    handler: Arc<dyn Handler>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> io::Result<Ended> {
    let input = open_input(std::io::stdin().as_fd().try_clone_to_owned()?)?;
    let output = open_output(std::io::stdout().as_fd().try_clone_to_owned()?)?;
    Ok(stream::serve(handler, input, output, limits, stop).await)
}

/// Pipes and sockets are read without a thread; what else it may be (a file, a terminal) through tokio's.
fn open_input(fd: OwnedFd) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    Ok(match kind(&fd)? {
        FileType::Fifo => Box::pin(pipe::Receiver::from_owned_fd(fd)?),
        FileType::Socket => Box::pin(socket(fd)?),
        _ => Box::pin(tokio::io::stdin()),
    })
}

fn open_output(fd: OwnedFd) -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    Ok(match kind(&fd)? {
        FileType::Fifo => {
            // What the system allows at most decides; with less it only takes longer.
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
