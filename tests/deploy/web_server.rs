//! nginx and Caddy as processes of a test.

use std::fs::{File, Permissions, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::eventually;

/// A running web server. It ends with the value.
pub(super) struct WebServer(Child);

impl WebServer {
    /// Starts the server and waits until it listens. The folder has its configuration, and gets its messages.
    ///
    /// # Panics
    /// If the server ends before, with its messages.
    pub(super) async fn start(mut command: Command, folder: &Path, address: SocketAddr) -> Self {
        // nginx started as root runs its workers as another user, which must be able to read the folder.
        set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        let search = format!("{}:/usr/sbin", std::env::var("PATH").unwrap());
        let log = folder.join("messages.log");
        let mut child = command
            .env("PATH", search)
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .expect("nginx and caddy; make test installs them");
        eventually("the web server listens", async || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("{status}: {}", std::fs::read_to_string(&log).unwrap());
            }
            tokio::net::TcpStream::connect(address).await.is_ok()
        })
        .await;
        WebServer(child)
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        // SIGTERM is the fast shutdown, which includes the workers. The process may have exited already.
        let id = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.0.wait();
    }
}
