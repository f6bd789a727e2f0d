//! Addresses for programs that are told where to listen.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the ports that systems hand out by themselves (from 32768 on Linux, RFC 6335 says 49152): one that is
/// asked for with port 0 may be given to somebody's connection before the program has it.
const FIRST: u32 = 10_000;
const PORTS: u32 = 22_000;
/// So many are one test process's own: those of its neighbours start with their numbers.
const OWN: u32 = 16;

/// A local address that nobody listens on, another one each time.
pub fn free_address() -> SocketAddr {
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
