//! Finds addresses and hosts of private networks. Loopback addresses, and those that the standards
//! reserve for documentation, are allowed.
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use url::Host;

/// Suffixes of the names of internal hosts.
const SUFFIXES: [&str; 10] =
    ["internal", "local", "lan", "corp", "intranet", "consul", "localdomain", "private", "home", "home.arpa"];
/// Suffixes that members of objects also have: `sources.private`, `user.home`.
const SUFFIXES_OR_MEMBERS: [&str; 2] = ["private", "home"];
/// Labels right before the suffix that mark a name as documentation or as existing on every
/// machine.
const HARMLESS_LABELS: [&str; 3] = ["example", "docker", "localhost"];
/// First labels of package and file names: `com.acme.internal`, `settings.local`.
const NOT_A_HOST: [&str; 9] = ["com", "org", "net", "io", "dev", "java", "crate", "self", "this"];
/// First labels of file names, if only the suffix follows.
const NOT_A_HOST_ALONE: [&str; 5] = ["settings", "config", "env", "package", "module"];
/// A name that exists inside every Kubernetes cluster.
const OF_EVERY_CLUSTER: &str = "kubernetes.default.svc.cluster.local";
/// Words before a number of four parts that is not an address.
const BEFORE_A_VERSION: [&str; 5] = ["version", "section", "release", "chapter", "v"];

/// Returns the ranges of internal addresses.
pub(super) fn internal(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    // An address consists of ASCII, so it can be found byte by byte, and its ends are character
    // boundaries.
    let bytes = text.as_bytes();
    while let Some(start) = bytes[at..].iter().position(|byte| is_part(*byte)).map(|start| at + start) {
        let length = bytes[start..].iter().position(|byte| !is_part(*byte));
        at = length.map_or(text.len(), |length| start + length);
        if is_internal(&text[..start], &text[start..at], &text[at..]) {
            let length = text[start..at].trim_end_matches([':', '.', '-', '_']).len();
            found.push(start..start + length);
        }
    }
    found
}

/// Returns whether a host, as written in a URL, is publicly reachable.
pub fn is_public_host(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<Ipv6Addr>() {
        return !(address.is_loopback() || address.is_unspecified() || is_internal_v6(address));
    }
    if let Ok(address) = bare.parse::<Ipv4Addr>() {
        return !(address.is_loopback() || address.is_unspecified() || is_internal_v4(address));
    }
    // A name without a dot is known only in its own network.
    host.contains('.') && !host.ends_with(".localhost") && split_suffix(&host).is_none()
}

/// Splits the name of an internal host from its suffix.
fn split_suffix(name: &str) -> Option<(&str, &'static str)> {
    SUFFIXES.iter().find_map(|suffix| Some((name.strip_suffix(suffix)?.strip_suffix('.')?, *suffix)))
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':')
}

fn is_internal(before: &str, token: &str, after: &str) -> bool {
    // A host with a port is never this long.
    if token.len() > 300 {
        return false;
    }
    let token = token.trim_end_matches([':', '.', '-', '_']);
    if before.ends_with('%') {
        return false;
    }
    // A single word is not an address; only in a URL can a number be one.
    if !token.contains(['.', ':']) && !before.ends_with("://") {
        return false;
    }
    if let Ok(address) = token.parse() {
        return is_internal_v6(address);
    }
    let mut pieces = token.split(':').peekable();
    let mut is_first = true;
    while let Some(piece) = pieces.next() {
        let next = pieces.peek().copied();
        let is_address = match piece.parse::<Ipv4Addr>() {
            Ok(address) => {
                is_internal_v4(address)
                    && !(next.is_none() && is_range(address, after))
                    && !(is_first && is_version(before))
            }
            // Only in a URL are `0x0a000001` and `10.1` addresses.
            Err(_) if is_first && before.ends_with("://") && is_internal_number(piece) => true,
            Err(_) => {
                let has_port = next
                    .is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
                let in_url = is_first && (before.ends_with("//") || before.ends_with('@'));
                is_internal_host(piece, has_port || in_url, is_first && before.ends_with(['/', '\\', '$']))
            }
        };
        if is_address {
            return true;
        }
        is_first = false;
    }
    false
}

fn is_internal_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    // The last one is the shared address space behind the NAT of a provider or an overlay (RFC
    // 6598).
    address.is_private() || address.is_link_local() || (a == 100 && b & 0xc0 == 64)
}

fn is_internal_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, .., seventh, eighth] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    // Private IPv4 addresses behind NAT64 (RFC 6052) and in 6to4 (RFC 3056).
    let inside = match (first, second) {
        (0x64, 0xff9b) => Some(v4(seventh, eighth)),
        (0x2002, _) => Some(v4(second, third)),
        _ => address.to_ipv4(),
    };
    // The first ten bits of the old site-local addresses (RFC 3879).
    let is_site_local = first & 0xffc0 == 0xfec0;
    address.is_unique_local()
        || address.is_unicast_link_local()
        || is_site_local
        || inside.is_some_and(is_internal_v4)
}

/// Returns whether a URL with this host leads to an internal address that is written as one number,
/// shortened, or not in decimal.
fn is_internal_number(host: &str) -> bool {
    host.starts_with(|c: char| c.is_ascii_digit())
        && matches!(Host::parse(host), Ok(Host::Ipv4(address)) if is_internal_v4(address))
}

fn is_version(before: &str) -> bool {
    let before = before.trim_end_matches([' ', ':', '=', '"', '`']);
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    BEFORE_A_VERSION.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Returns whether it is the name of a range, such as `10.0.0.0/8`, and not a machine in it.
fn is_range(address: Ipv4Addr, after: &str) -> bool {
    let Some(rest) = after.strip_prefix('/') else { return false };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(length) = rest[..digits].parse::<u32>() else { return false };
    let host = u32::MAX.checked_shr(length).unwrap_or(0);
    length <= 32 && u32::from(address) & host == 0
}

/// Returns whether a name is an internal host. A name that is not certainly a host counts only if
/// it can't be a package, a file or a member of an object.
fn is_internal_host(name: &str, is_surely_host: bool, is_part_of_path: bool) -> bool {
    let lower = name.to_ascii_lowercase();
    let Some((rest, suffix)) = split_suffix(&lower) else { return false };
    let rest: Vec<&str> = rest.split('.').collect();
    let is_harmless = rest.last().is_some_and(|label| HARMLESS_LABELS.contains(label));
    if is_harmless || lower == OF_EVERY_CLUSTER {
        return false;
    }
    if is_surely_host {
        return true;
    }
    let are_labels = rest.iter().all(|label| !label.is_empty() && !label.contains('_'));
    let has_one_case = lower == name || !name.contains(|c: char| c.is_ascii_lowercase());
    let is_member = |label: &str| {
        NOT_A_HOST_ALONE.contains(&label)
            || (SUFFIXES_OR_MEMBERS.contains(&suffix)
                && !label.contains(|c: char| c == '-' || c.is_ascii_digit()))
    };
    let is_other = NOT_A_HOST.contains(&rest[0]) || (rest.len() == 1 && is_member(rest[0]));
    are_labels && has_one_case && !is_part_of_path && !is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_private_networks_are_found() {
        for text in [
            "10.1.2.3",
            "see http://192.168.0.17:8080/x",
            "172.16.0.1, and more",
            "172.31.255.255.",
            "host:10.0.0.5:5432",
            "http://169.254.169.254/latest/meta-data",
            "100.64.3.4",
            "http://[fd12:3456:789a::1]/",
            "fe80::1%eth0",
            "::ffff:10.0.0.1",
            "fd00::5",
            "10.1.2.3/8",
            "http://metadata.google.internal/",
            "db.internal",
            "ask wiki.acme.corp for it",
            "printer.local:631",
            "http://Build.Acme.Lan/x",
            "root@nas.lan",
            "https://portal.intranet",
            "router.home.arpa",
            "http://[fec0::1]/",
            "64:ff9b::10.1.2.3",
            "http://[2002:0a01:0203::1]/",
            "::10.1.2.3",
            "vault.service.consul",
            "srv.localdomain",
            "db.prod.private",
            "http://nas.home/",
            "nas.home:5000",
            "nas1.home",
            "DB01.CORP",
            "jira.example.acme.corp",
            "registry.docker.acme.corp",
            "config.acme.corp",
            "api.prod.svc.cluster.local",
            "http://167837955/",
            "http://0x0a010203/",
            "http://012.1.2.3:80/",
            "http://10.1/",
            "http://0xa.0x1.2.3/",
            "convention 10.1.2.3",
        ] {
            assert!(!internal(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_fine() {
        for text in [
            "localhost:3000",
            "127.0.0.1:8080",
            "[::1]:80",
            "0.0.0.0",
            "192.0.2.7 198.51.100.1 203.0.113.9",
            "2001:db8::1",
            "8.8.8.8",
            "refuses 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fd00::/8",
            "v10.0.0.1",
            "10.0.1",
            "Windows 10.0.19041.1",
            "1.10.0.0.1",
            "http://host.docker.internal:11434",
            "api.example.internal",
            "settings.local.json and .env.local in ~/.local/share",
            "config.local",
            "com.acme.internal",
            "acme_module.internal",
            "My.Internal",
            "internal",
            "local",
            "the local. internal affairs",
            "/usr/local",
            "12:30:45",
            "fd:00:11:22:33:44",
            "std::net::Ipv6Addr",
            "a::b",
            "objects/fd12/3f and fd12/7",
            "me@example.com",
            "64:ff9b::8.8.8.8 and 2002:808:808::1",
            "kubernetes.default.svc.cluster.local",
            "https://kubernetes.default.svc.cluster.local:443",
            "localhost.localdomain",
            "version 10.2.3.4",
            "Version: 10.2.3.4",
            "section 10.1.2.3 of the manual",
            "v 10.1.2.3",
            "user.home and java.home",
            "`sources.private` and nav.home",
            "in-addr.arpa",
            "167837955 and 0x0a010203",
            "https://example.com/10.1",
            "x//10.1",
        ] {
            assert!(internal(text).is_empty(), "{text}");
        }
    }
}
