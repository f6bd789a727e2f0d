//! The command `account check-translations`.

use super::prelude::*;
use crate::i18n;

pub(super) fn parse_language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| format!("must be one of {}", Language::LIST))
}

/// Prints each problem of the translation files as a line on stdout. Returns exit code 2 if there are problems.
pub(super) fn check(files: &[PathBuf], language: Option<Language>) -> CommandResult<u8> {
    let mut problems = Vec::new();
    for file in files {
        problems.extend(i18n::check::check_file(file, language).map_err(CommandError::Usage)?);
    }
    for line in &problems {
        output::print_line(line)?;
    }
    match problems.len() {
        0 => print_message!("account: all texts are valid"),
        n => {
            print_message!("account: {n} invalid texts; the site would show its own texts instead");
        }
    }
    Ok(if problems.is_empty() { 0 } else { 2 })
}
