//! The command `account check-config`.

use super::{CommandError, ConfigArgument, output};
use crate::config;
use crate::db::Store;
use crate::http::site;

/// Prints the effective settings to stdout, and the warnings and the settings of each host to stderr.
pub(super) async fn check(settings: &ConfigArgument) -> Result<(), CommandError> {
    let config = settings.load()?;
    site::check(&config)?;
    if let Some(problem) = config::related_host_problems(&config).into_iter().next() {
        return Err(CommandError::Usage(problem));
    }
    output::print(config::effective_toml(&config))?;
    let mut warnings = config::warnings(&config);
    if config.database.read_url.is_some() {
        let problem = match Store::standby_problem(&config.database).await {
            Ok(problem) => problem,
            Err(error) => Some(format!("cannot be checked: {error}")),
        };
        warnings.extend(problem.map(|problem| format!("database.read_url: {problem}")));
    }
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
