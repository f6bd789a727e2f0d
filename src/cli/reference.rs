//! The commands `account completions` and `account man`, which generate their output from the definition of all
//! commands, and `account openapi`, which generates its output from the routes.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Arguments;
use super::prelude::*;
use crate::http::router;

pub(super) fn print_completions(shell: Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "account", &mut script);
    output::print(String::from_utf8_lossy(&script))?;
    Ok(())
}

/// Prints the manual page, or writes one page for each command to a folder.
pub(super) fn print_manual(folder: Option<&Path>) -> CommandResult {
    let command = Arguments::command();
    match folder {
        Some(folder) => clap_mangen::generate_to(command, folder)
            .map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display()))),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            output::print(String::from_utf8_lossy(&page))?;
            Ok(())
        }
    }
}

pub(super) fn print_openapi() -> CommandResult {
    let document = router::openapi_document();
    let json = document.to_pretty_json().map_err(CommandError::failed)?;
    output::print(format_args!("{json}\n"))?;
    Ok(())
}
