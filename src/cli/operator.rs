//! The operator in the audit: the user who signed in to the machine and runs a command.

use super::{CommandError, CommandResult};

const MAX_OPERATOR_NAME_CHARS: usize = 64;

#[derive(clap::Args)]
pub(super) struct OperatorArgument {
    /// The operator's name for the audit, because in a container all have the same user; the audit names both
    #[arg(long, value_name = "NAME")]
    operator: Option<String>,
}

impl OperatorArgument {
    /// Returns the operator for the audit: the user, such as `ada`, or with `--operator` the user and the claimed name,
    /// such as `user 65532 (operator ada)`.
    pub(super) fn name(&self) -> CommandResult<String> {
        let user = current_user();
        match &self.operator {
            None => Ok(user),
            Some(claim) if is_operator_name(claim) => Ok(format!("{user} (operator {claim})")),
            // The error does not repeat the name, which may contain control characters.
            Some(_) => Err(CommandError::Usage(format!(
                "--operator must have 1 to {MAX_OPERATOR_NAME_CHARS} letters, digits and . _ - + @"
            ))),
        }
    }
}

/// Returns whether `--operator` accepts the name. A name with brackets or spaces could look like another operator.
fn is_operator_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
    (1..=MAX_OPERATOR_NAME_CHARS).contains(&name.len()) && name.chars().all(is_part)
}

/// The user id of a process without a login, such as a service (`AUDIT_UID_UNSET` of the kernel).
const NO_LOGIN_USER_ID: u32 = u32::MAX;

/// Returns the name of the user who runs this process, such as `ada`; see [`describe_user`].
#[cfg(target_os = "linux")]
fn current_user() -> String {
    // The kernel keeps the login user across sudo and su.
    let login = std::fs::read_to_string("/proc/self/loginuid").unwrap_or_default();
    let id = login
        .trim()
        .parse()
        .ok()
        .filter(|id| *id != NO_LOGIN_USER_ID);
    let id = id.unwrap_or_else(|| rustix::process::getuid().as_raw());
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    describe_user(id, &passwd, std::env::var("SUDO_USER").ok().as_deref())
}

#[cfg(not(target_os = "linux"))]
fn current_user() -> String {
    std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the name of a user. `SUDO_USER` is added in brackets as a claim, because every user can set this variable.
#[cfg(target_os = "linux")]
fn describe_user(id: u32, passwd: &str, sudo_user: Option<&str>) -> String {
    let name = find_user_name(passwd, id).map_or_else(|| format!("user {id}"), str::to_owned);
    match sudo_user {
        Some(sudo) if is_user_name(sudo) && sudo != name => format!("{name} (sudo by {sudo})"),
        _ => name,
    }
}

/// Returns the name of a user id in the text of `/etc/passwd`, which does not contain users of LDAP.
#[cfg(target_os = "linux")]
fn find_user_name(passwd: &str, id: u32) -> Option<&str> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, found) = (fields.next()?, fields.next()?, fields.next()?);
        (found.parse() == Ok(id)).then_some(name)
    })
}

/// Returns whether a name follows the rules of useradd(8). Dots are accepted too, because LDAP names contain them.
#[cfg(target_os = "linux")]
fn is_user_name(name: &str) -> bool {
    let name = name.strip_suffix('$').unwrap_or(name);
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (1..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_inner)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::describe_user;

    #[test]
    fn the_operator_is_a_user_and_sudo_only_a_claim() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        for (id, sudo, expected) in [
            (0, None, "root"),
            (1000, None, "ada"),
            (1, None, "user 1"),
            (0, Some("ada"), "root (sudo by ada)"),
            (1000, Some("ada"), "ada"),
            (1000, Some("eve.x-1$"), "ada (sudo by eve.x-1$)"),
            (0, Some(""), "root"),
            (
                0,
                Some("ada)\n2026-11-25T00:00:00Z  cli:eve  disable"),
                "root",
            ),
            (0, Some("a b"), "root"),
            (0, Some("\u{202e}ada"), "root"),
            (0, Some(&"a".repeat(33)), "root"),
        ] {
            assert_eq!(describe_user(id, passwd, sudo), expected, "{id} {sudo:?}");
        }
    }
}
