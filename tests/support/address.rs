//! Addresses for programs that listen on a given port.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// The range is below the ephemeral ports (from 32768 on Linux, 49152 by RFC 6335): another connection could take an
/// ephemeral port before the program binds it.
const FIRST: u32 = 10_000;
const PORTS: u32 = 22_000;
/// The number of ports that each test process reserves; processes with neighbouring ids start at other ports.
const OWN: u32 = 16;

/// A local address without a listener; each call returns another one.
pub(crate) fn free_address() -> SocketAddr {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id() % (PORTS / OWN) * OWN;
    for _ in 0..PORTS {
        let port = FIRST + (first + GIVEN.fetch_add(1, Ordering::Relaxed)) % PORTS;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port as u16));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
    panic!("every port is taken");
}
