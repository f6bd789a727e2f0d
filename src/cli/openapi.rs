//! `account openapi`.

use std::io::Write;

use super::CommandError;
use crate::http::openapi;

/// Prints the OpenAPI document of the API as JSON.
pub(super) fn print() -> Result<(), CommandError> {
    let document = openapi::document();
    let json = document.to_pretty_json().map_err(CommandError::failed)?;
    Ok(writeln!(std::io::stdout(), "{json}")?)
}
