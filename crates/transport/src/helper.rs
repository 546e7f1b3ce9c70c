//! Helper processes of Overt: this program, started again with one argument, and a socket between
//! the two. A message can carry a handle.
use std::ffi::OsStr;
use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use crate::process::kill_with_parent;

/// The longest message between the processes, in bytes.
const LONGEST: usize = 128 << 10;

/// A socket whose messages keep their bounds.
#[derive(Debug)]
pub struct MessageSocket(OwnedFd);

impl MessageSocket {
    pub fn new(socket: OwnedFd) -> Self {
        Self(socket)
    }

    /// Limits how long [`receive`](Self::receive) waits.
    pub fn with_timeout(self, time: Duration) -> io::Result<Self> {
        set_socket_timeout(&self.0, Timeout::Recv, Some(time))?;
        Ok(self)
    }

    pub fn send(&self, message: &[u8], handle: Option<&OwnedFd>) -> io::Result<()> {
        if message.len() > LONGEST {
            return Err(io::Error::other("a message is too long"));
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut carried = SendAncillaryBuffer::new(&mut space);
        let handles = handle.map(|handle| [handle.as_fd()]);
        if let Some(handles) = &handles {
            carried.push(SendAncillaryMessage::ScmRights(handles));
        }
        sendmsg(&self.0, &[IoSlice::new(message)], &mut carried, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Receives a message, or `None` at the end.
    pub fn receive(&self) -> io::Result<Option<(Vec<u8>, Option<OwnedFd>)>> {
        let mut bytes = vec![0; LONGEST];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut carried = RecvAncillaryBuffer::new(&mut space);
        let got = loop {
            match recvmsg(&self.0, &mut [IoSliceMut::new(&mut bytes)], &mut carried, RecvFlags::CMSG_CLOEXEC)
            {
                Err(rustix::io::Errno::INTR) => {}
                got => break got?,
            }
        };
        if got.bytes == 0 {
            return Ok(None);
        }
        bytes.truncate(got.bytes);
        let handle = carried.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut handles) => handles.next(),
            _ => None,
        });
        Ok(Some((bytes, handle)))
    }
}

impl AsFd for MessageSocket {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Starts a helper whose standard input is a socket to this process. It must end by itself when the
/// socket is closed.
pub fn start_helper(program: &Path, argument: impl AsRef<OsStr>) -> io::Result<MessageSocket> {
    let (here, there) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let mut command = command(program, argument.as_ref());
    // Nobody waits for it: it ends after this process, or with it. Starting a program takes longer
    // than a thread, which the walls of this process are not around either.
    thread::Builder::new().name("helper".to_owned()).spawn(move || {
        // Without the helper, the socket has no other end.
        let _ = command.stdin(there).stdout(Stdio::null()).spawn();
    })?;
    Ok(MessageSocket(here))
}

/// Starts a helper that reads `input` from its standard input, and whose standard output is a
/// stream socket. Returns the other end of the socket. The helper ends with this process.
pub fn start_worker(
    program: &Path,
    argument: impl AsRef<OsStr>,
    input: &[u8],
) -> io::Result<(Child, OwnedFd)> {
    let (here, there) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let mut command = command(program, argument.as_ref());
    kill_with_parent(&mut command);
    let mut child = command.stdin(Stdio::piped()).stdout(there).spawn()?;
    let mut stdin = child.stdin.take().ok_or_else(|| io::Error::other("a pipe to the child is missing"))?;
    stdin.write_all(input)?;
    Ok((child, here))
}

fn command(program: &Path, argument: &OsStr) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the helper is this program, without arguments of others")]
    let mut command = Command::new(program);
    // Signals that a terminal sends to our group must not reach a helper.
    command.arg(argument).env_clear().current_dir("/").process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_message_carries_a_handle() {
        let (one, two) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let (one, two) = (MessageSocket::new(one), MessageSocket::new(two));
        let (mut reading, writing) = UnixStream::pair().unwrap();
        one.send(b"take it", Some(&OwnedFd::from(writing))).unwrap();
        one.send(b"and this", None).unwrap();
        let (message, handle) = two.receive().unwrap().unwrap();
        assert_eq!(message, b"take it");
        UnixStream::from(handle.unwrap()).write_all(b"here").unwrap();
        let mut said = String::new();
        reading.read_to_string(&mut said).unwrap();
        assert_eq!(said, "here");
        let (message, handle) = two.receive().unwrap().unwrap();
        assert!(message == b"and this" && handle.is_none());
        drop(one);
        assert!(two.receive().unwrap().is_none());
    }
}
