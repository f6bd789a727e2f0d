//! nginx and Caddy as processes of a test.

use std::fs::{File, Permissions, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use account::testing::time_limit::TimeLimit;
use rustix::process::{Pid, Signal, kill_process};

use crate::prelude::*;
use crate::support::smtp::Smtp;

/// A running web server. It ends with the value.
pub struct WebServer(Child);

impl WebServer {
    /// Starts the server and waits until it listens. The folder has its configuration, and gets its messages.
    ///
    /// # Panics
    /// If the server ends before, with its messages.
    pub async fn start(mut command: Command, folder: &Path, address: SocketAddr) -> Self {
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

/// Starts nginx with this part of a configuration in its block `http`. Its files are in the folder.
pub async fn nginx(folder: &Path, text: &str, address: SocketAddr) -> WebServer {
    let place = folder.display();
    let text = format!(
        "daemon off; worker_processes 1; pid {place}/nginx.pid; error_log {place}/error.log info;\n\
         events {{}}\n\
         http {{\n\
           client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;\n\
           fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;\n\
           {text}\n\
         }}\n"
    );
    let path = folder.join("nginx.conf");
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-e").arg(folder.join("error.log"));
    command.arg("-c").arg(path);
    WebServer::start(command, folder, address).await
}

/// A client of a test that follows no redirect.
pub fn client() -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(TimeLimit::from_secs(20).get())
}

/// Waits for the mail of a registration, and opens its link at the web server. Returns the token of the link.
pub async fn confirm_registration(client: &reqwest::Client, url: &str, smtp: &Smtp) -> String {
    let mail = eventually_some("the mail arrives", async || smtp.received().pop()).await;
    let token = mail.token();
    let confirm = client.get(format!("{url}{API}/confirm-email?token={token}"));
    let confirmed = confirm.header("sec-fetch-site", "same-origin").send();
    assert_eq!(confirmed.await.unwrap().status(), 200);
    token
}

impl Drop for WebServer {
    fn drop(&mut self) {
        // SIGTERM is the fast shutdown, which includes the workers. The process may have exited already.
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}
