//! The `account` program; its commands are in `src/cli/`.

use std::process::ExitCode;

fn main() -> ExitCode {
    account::cli::main()
}
