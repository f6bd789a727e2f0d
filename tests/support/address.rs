//! Addresses for programs that listen on a given port.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The range is below the ephemeral ports (from 32768 on Linux, 49152 by RFC 6335): another connection could take an
/// ephemeral port before the program binds it.
const FIRST_PORT: u32 = 10_000;
const PORT_COUNT: u32 = 22_000;
/// The number of ports that each test process reserves; processes with neighbouring ids start at other ports.
const PORTS_PER_PROCESS: u32 = 16;

/// A local address without a listener. It is reserved until the end of the test process: other processes get others.
pub fn free_address() -> SocketAddr {
    static USED: AtomicU32 = AtomicU32::new(0);
    static RESERVED: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ports");
    std::fs::create_dir_all(&folder).unwrap();
    let first = std::process::id() % (PORT_COUNT / PORTS_PER_PROCESS) * PORTS_PER_PROCESS;
    for _ in 0..PORT_COUNT {
        let port = FIRST_PORT + (first + USED.fetch_add(1, Ordering::Relaxed)) % PORT_COUNT;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port as u16));
        let lock = File::create(folder.join(port.to_string())).unwrap();
        if lock.try_lock().is_ok() && TcpListener::bind(address).is_ok() {
            RESERVED.lock().unwrap().push(lock);
            return address;
        }
    }
    panic!("every port is taken");
}
