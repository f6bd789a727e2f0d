//! Computes the network that people see in place of an IP address. The network is precise enough to recognise a region,
//! but too coarse to identify a connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the /24 network of an IPv4 address or the /48 network of an IPv6 address, such as `203.0.113.0/24`.
pub(crate) fn network_prefix(ip: IpAddr) -> String {
    match ip.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{}/24", Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_hides_the_host() {
        for (ip, expected) in [
            ("203.0.113.77", "203.0.113.0/24"),
            ("::ffff:203.0.113.77", "203.0.113.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ] {
            assert_eq!(network_prefix(ip.parse().unwrap()), expected);
        }
    }
}
