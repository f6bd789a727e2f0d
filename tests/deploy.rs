//! The files of `deploy/`: each runs in its own program as far as a test can run it.

mod citus;
mod container;
mod forward_auth;
mod kubernetes;
mod nginx;
mod unit;
mod web_server;

/// A file of the checkout.
fn file(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}
