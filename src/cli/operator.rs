//! The operator in the audit: the operating system's user who runs a command.

/// Returns the name of the user, such as `root`. After sudo it contains both names, such as `root (sudo: ada)`.
pub(super) fn name() -> String {
    let name = user();
    match std::env::var("SUDO_USER") {
        Ok(sudo) if !sudo.is_empty() && sudo != name => format!("{name} (sudo: {sudo})"),
        _ => name,
    }
}

/// Returns the user by the id of the process. The environment is not used, because every user can change it.
#[cfg(target_os = "linux")]
fn user() -> String {
    let id = rustix::process::getuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    named(&users, id).map_or_else(|| format!("user {id}"), str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn user() -> String {
    std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the name of a user id in the text of `/etc/passwd`. Users of a directory service are not in that file.
#[cfg(target_os = "linux")]
fn named(users: &str, id: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, found) = (fields.next()?, fields.next()?, fields.next()?);
        (found.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::named;

    #[test]
    fn a_user_is_found_by_its_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(named(users, 0), Some("root"));
        assert_eq!(named(users, 1000), Some("ada"));
        assert_eq!(named(users, 1), None);
    }
}
