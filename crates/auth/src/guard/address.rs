//! Classifies IP addresses. Pure.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of host is behind an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Public,
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// Never an authorization server: link-local (where cloud providers serve credentials),
    /// multicast, reserved.
    Never,
}

pub(super) fn class(ip: IpAddr) -> Class {
    match ip {
        IpAddr::V4(ip) => class_v4(ip),
        IpAddr::V6(ip) => class_v6(ip),
    }
}

fn class_v4(ip: Ipv4Addr) -> Class {
    match ip.octets() {
        [127, ..] => Class::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Class::Private,
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Class::Never,
        _ => Class::Public,
    }
}

fn class_v6(ip: Ipv6Addr) -> Class {
    if ip == Ipv6Addr::LOCALHOST {
        return Class::Loopback;
    }
    let [_, b, c, _, _, _, g, h] = ip.segments();
    let v4 = |high: u16, low: u16| class_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match ip.segments() {
        // The unspecified address, and one where a cloud provider serves credentials, in a range
        // that is otherwise private.
        [0, 0, 0, 0, 0, 0, 0, 0] | [0xfd00, 0xec2, ..] => Class::Never,
        // An embedded IPv4 address: mapped, compatible, translated, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            v4(g, h)
        }
        [0x2002, ..] => v4(b, c),
        // Unique local.
        [0xfc00..=0xfdff, ..] => Class::Private,
        // Everything outside global unicast, and the tunnel and documentation ranges within it.
        [0..=0x1fff | 0x4000..=0xffff, ..] | [0x2001, 0 | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => {
            Class::Never
        }
        _ => Class::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_15_every_range_has_its_class() {
        let cases = [
            (Class::Public, "1.1.1.1 8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 64:ff9b::808:808"),
            (Class::Loopback, "127.0.0.1 127.255.0.9 ::1 ::ffff:127.0.0.1 ::127.0.0.1 64:ff9b::7f00:1"),
            (
                Class::Private,
                "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fd12::1 fc00::1 ::ffff:10.0.0.1 \
                 2002:a00:1::1 ::ffff:0:192.168.0.1",
            ),
            (
                Class::Never,
                "0.0.0.0 169.254.169.254 224.0.0.1 255.255.255.255 240.0.0.1 192.0.2.1 198.18.0.1 :: fe80::1 \
                 ff02::1 fec0::1 fd00:ec2::254 ::ffff:169.254.169.254 2001::1 2001:db8::1 64:ff9b:1::1 \
                 2002:a9fe:a9fe::1",
            ),
        ];
        for (expected, addresses) in cases {
            for address in addresses.split_whitespace() {
                assert_eq!(class(address.parse().unwrap()), expected, "{address}");
            }
        }
    }
}
