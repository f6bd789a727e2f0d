//! The operator in the audit: the operating system's user who runs a command.

/// Returns the name of the user, such as `root`. After sudo it contains both names, such as `root (sudo: ada)`.
pub(super) fn name() -> String {
    let name = system_user();
    match std::env::var("SUDO_USER") {
        Ok(sudo) if !sudo.is_empty() && sudo != name => format!("{name} (sudo: {sudo})"),
        _ => name,
    }
}

/// Returns the user by the id of the process. The environment is not used, because every user can change it.
#[cfg(target_os = "linux")]
fn system_user() -> String {
    let id = rustix::process::getuid().as_raw();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    find_user_name(&passwd, id).map_or_else(|| format!("user {id}"), str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn system_user() -> String {
    std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the name of a user id in the text of `/etc/passwd`. Users of a directory service are not in that file.
#[cfg(target_os = "linux")]
fn find_user_name(passwd: &str, id: u32) -> Option<&str> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, found) = (fields.next()?, fields.next()?, fields.next()?);
        (found.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::find_user_name;

    #[test]
    fn a_user_is_found_by_its_number() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(find_user_name(passwd, 0), Some("root"));
        assert_eq!(find_user_name(passwd, 1000), Some("ada"));
        assert_eq!(find_user_name(passwd, 1), None);
    }
}
