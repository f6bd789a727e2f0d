//! The command `account check-config`.

use super::prelude::*;
use crate::config;
use crate::http::site;

/// Prints the effective settings to stdout, and the warnings and the settings of each host to stderr.
pub(super) fn check(settings: &ConfigArgument, is_example: bool) -> CommandResult {
    if is_example {
        output::print(config::EXAMPLE)?;
        return Ok(());
    }
    let config = settings.load()?;
    site::check(&config)?;
    if let Some(problem) = config::related_host_problems(&config).into_iter().next() {
        return Err(CommandError::Usage(problem));
    }
    output::print(config::effective_toml(&config))?;
    let warnings = config::warnings(&config);
    for warning in &warnings {
        print_message!("warning: {warning}");
    }
    for line in ["", "Settings of each host:", ""] {
        print_message!("{line}");
    }
    for line in config::describe_hosts(&config).lines() {
        print_message!("{line}");
    }
    print_message!("");
    match warnings.len() {
        0 => print_message!("account: the configuration is fine"),
        n => print_message!(
            "account: the configuration is valid; {n} settings are unwise for a public site"
        ),
    }
    Ok(())
}
