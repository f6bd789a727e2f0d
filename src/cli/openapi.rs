//! The command `account openapi`.

use super::{CommandError, output};
use crate::http::openapi;

/// Prints the OpenAPI document of the API as JSON.
pub(super) fn print() -> Result<(), CommandError> {
    let document = openapi::document();
    let json = document.to_pretty_json().map_err(CommandError::failed)?;
    output::print(format_args!("{json}\n"))?;
    Ok(())
}
