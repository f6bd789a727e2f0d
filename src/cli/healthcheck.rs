//! `account healthcheck`, for containers without a shell.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use reqwest::StatusCode;

use super::{CommandError, CommandResult, ConfigArgument};
use crate::observability::causes::with_causes;

/// The time limit of a health check. Docker gives up a health check after 30 seconds.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Succeeds if `/readyz` at `server.listen` returns 200.
pub(super) async fn run(settings: &ConfigArgument) -> CommandResult {
    let mut address = settings.load()?.server.listen;
    if address.ip().is_unspecified() {
        address.set_ip(match address.is_ipv4() {
            true => Ipv4Addr::LOCALHOST.into(),
            false => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(CHECK_TIMEOUT)
        .build()
        .map_err(|error| CommandError::failed(with_causes(&error)))?;
    let response = client.get(format!("http://{address}/readyz")).send().await;
    let response = response.map_err(|error| {
        CommandError::failed(format!("{address}: {}", with_causes(&error.without_url())))
    })?;
    match response.status() {
        StatusCode::OK => Ok(()),
        status => Err(CommandError::failed(format!(
            "{address}: /readyz answers {}",
            status.as_u16()
        ))),
    }
}
