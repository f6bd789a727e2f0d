//! More connections than file descriptors: requests fail for a moment and then succeed again.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use account::testing::time_limit::TimeLimit;
use tokio::net::TcpStream;

use crate::prelude::*;
use crate::wire::{Client, wait_for};

/// A child process that ends with the test.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// security: FI-12
#[tokio::test]
async fn the_process_survives_a_lack_of_file_descriptors() {
    let folder = folder();
    let address = free_address();
    let child = Command::new("prlimit")
        .args(["--nofile=64", env!("CARGO_BIN_EXE_account"), "serve"])
        .env("ACCOUNT_SERVER__LISTEN", address.to_string())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("prlimit (util-linux) is there");
    let mut process = KilledOnDrop(child);
    wait_for(address).await;
    let mut held = Vec::new();
    for _ in 0..150 {
        if let Ok(Ok(stream)) =
            tokio::time::timeout(Duration::from_millis(20), TcpStream::connect(address)).await
        {
            held.push(stream);
        }
    }
    assert!(held.len() > 64, "{}", held.len());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(process.0.try_wait().unwrap().is_none(), "it lives");
    drop(held);
    let answered = async {
        let mut client = Client::connect(address).await;
        assert_status!(client.get("/account/account-api/users/me"), 401);
    };
    within(TimeLimit::from_secs(3), "a response", answered).await;
}
