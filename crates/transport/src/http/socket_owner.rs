//! Finds the user whose program is at the other end of a local connection. The kernel keeps the
//! owner of every socket. On Linux the query (`sock_diag`) is about this one connection, so its
//! cost does not depend on the number of connections.
use std::net::SocketAddr;

/// Returns the user id of the program that connected from `client` to `server`. `None` if it can't
/// be found: another machine, a closed connection, or a system without such a query.
pub(super) fn socket_owner(client: SocketAddr, server: SocketAddr) -> Option<u32> {
    #[cfg(target_os = "linux")]
    return linux::ask(client, server).ok().flatten();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (client, server);
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::net::{IpAddr, SocketAddr};
    use std::time::Duration;

    use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
    };

    /// `SOCK_DIAG_BY_FAMILY`, and `NLM_F_REQUEST` without a flag that requests a list.
    const BY_FAMILY: u16 = 20;
    const REQUEST: u16 = 1;
    const TCP: u8 = 6;
    const IPV4: u8 = 2;
    const IPV6: u8 = 10;
    const ANY_STATE: u32 = u32::MAX;
    const NO_COOKIE: [u8; 8] = [0xff; 8];

    const HEADER_BYTES: usize = 16;
    const REQUEST_BYTES: usize = 72;
    /// Offsets of the owner and the inode in the answer.
    const UID: usize = HEADER_BYTES + 64;
    const INODE: usize = UID + 4;
    const ANSWER_BYTES: usize = 512;
    /// The kernel answers before `send` returns.
    const ANSWER_DEADLINE: Duration = Duration::from_millis(100);
    /// The id that stands for all users without an id in our namespace.
    const OVERFLOW_UID: u32 = 65_534;

    pub(super) fn ask(client: SocketAddr, server: SocketAddr) -> io::Result<Option<u32>> {
        let socket =
            socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(SOCK_DIAG))?;
        set_socket_timeout(&socket, Timeout::Recv, Some(ANSWER_DEADLINE))?;
        sendto(&socket, &request(client, server), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        let mut answer = [0; ANSWER_BYTES];
        let (_, count) = recv(&socket, &mut answer, RecvFlags::empty())?;
        Ok(owner(answer.get(..count).unwrap_or_default()))
    }

    /// Builds `nlmsghdr` and `inet_diag_req_v2`. The query is about the client's socket, so the
    /// client's address is the source.
    pub(super) fn request(client: SocketAddr, server: SocketAddr) -> Vec<u8> {
        let (client_ip, server_ip) = (client.ip().to_canonical(), server.ip().to_canonical());
        let family = if client_ip.is_ipv4() { IPV4 } else { IPV6 };
        let mut bytes = Vec::with_capacity(REQUEST_BYTES);
        bytes.extend(u32::try_from(REQUEST_BYTES).unwrap_or_default().to_ne_bytes());
        bytes.extend(BY_FAMILY.to_ne_bytes());
        bytes.extend(REQUEST.to_ne_bytes());
        bytes.extend([0; 8]);
        bytes.extend([family, TCP, 0, 0]);
        bytes.extend(ANY_STATE.to_ne_bytes());
        bytes.extend(client.port().to_be_bytes());
        bytes.extend(server.port().to_be_bytes());
        bytes.extend(address(client_ip));
        bytes.extend(address(server_ip));
        bytes.extend([0; 4]);
        bytes.extend(NO_COOKIE);
        bytes
    }

    fn address(ip: IpAddr) -> [u8; 16] {
        match ip {
            IpAddr::V6(ip) => ip.octets(),
            IpAddr::V4(ip) => {
                let mut bytes = [0; 16];
                bytes[..4].copy_from_slice(&ip.octets());
                bytes
            }
        }
    }

    /// Reads the owner from the answer. A socket without an inode no longer belongs to a program;
    /// the kernel reports root as its owner.
    pub(super) fn owner(answer: &[u8]) -> Option<u32> {
        let kind = answer.get(4..6)?;
        if kind != BY_FAMILY.to_ne_bytes() {
            return None;
        }
        let number = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
        let (uid, inode) = (number(UID)?, number(INODE)?);
        (inode != 0 && uid != OVERFLOW_UID).then_some(uid)
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn current_uid() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn a_11_the_owner_of_a_connection_is_found_in_both_families() {
        for address in ["127.0.0.1:0", "[::1]:0", "127.0.0.2:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                println!("NOT CHECKED HERE: this machine has no {address}");
                continue;
            };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, peer) = listener.accept().unwrap();
            assert_eq!(socket_owner(peer, server.local_addr().unwrap()), Some(current_uid()), "{address}");
            drop(client);
        }
    }

    #[test]
    fn a_11_a_connection_from_a_mapped_address_is_found() {
        let Ok(listener) = TcpListener::bind("[::]:0") else {
            println!("NOT CHECKED HERE: this machine has no IPv6");
            return;
        };
        let port = listener.local_addr().unwrap().port();
        let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (server, peer) = listener.accept().unwrap();
        assert!(peer.is_ipv6() && peer.ip().to_canonical().is_ipv4(), "{peer}");
        assert_eq!(socket_owner(peer, server.local_addr().unwrap()), Some(current_uid()));
        drop(client);
    }

    #[test]
    fn a_11_a_client_that_is_gone_has_no_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, peer) = listener.accept().unwrap();
        drop(client);
        assert_eq!(socket_owner(peer, server.local_addr().unwrap()), None, "orphans are said to be root's");
        let nobody = "127.0.0.1:1".parse().unwrap();
        assert_eq!(socket_owner(nobody, server.local_addr().unwrap()), None);
    }

    #[test]
    fn a_11_answers_that_are_no_socket_have_no_owner() {
        for length in 0..200 {
            assert_eq!(linux::owner(&vec![0; length]), None);
        }
        let request = linux::request("127.0.0.1:1".parse().unwrap(), "[::1]:2".parse().unwrap());
        assert_eq!(request.len(), 72);
    }
}
