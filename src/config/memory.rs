//! The memory that the control group of this process may use (cgroups(7)).

use std::path::Path;

/// Returns the lowest memory limit of the control group and its ancestors, in bytes. Returns `None` if there is no
/// limit, or if the system is not Linux.
pub(super) fn control_group_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    lowest_limit(Path::new("/sys/fs/cgroup"), &groups)
}

fn lowest_limit(root: &Path, groups: &str) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        // Version 2 of cgroups has one line without controllers, and version 1 has one directory for each controller.
        let (base, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let folder = base.join(group);
        let folders = folder.ancestors().take_while(|at| at.starts_with(&base));
        let texts = folders.filter_map(|at| std::fs::read_to_string(at.join(file)).ok());
        texts.filter_map(|text| text.trim().parse().ok()).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::lowest_limit;

    #[test]
    fn the_lowest_limit_above_the_process_counts() {
        let root = tempfile::tempdir().unwrap();
        let group = root.path().join("pods/one");
        std::fs::create_dir_all(&group).unwrap();
        let write = |path: &str, text: &str| std::fs::write(root.path().join(path), text).unwrap();
        let limit = |groups: &str| lowest_limit(root.path(), groups);
        assert_eq!(limit("0::/pods/one\n"), None);
        write("pods/one/memory.max", "max\n");
        assert_eq!(limit("0::/pods/one\n"), None);
        write("pods/memory.max", "536870912\n");
        assert_eq!(limit("0::/pods/one\n"), Some(536_870_912));
        write("pods/one/memory.max", "268435456\n");
        assert_eq!(limit("0::/pods/one\n"), Some(268_435_456));
        assert_eq!(limit("0::/\n"), None);
        std::fs::create_dir_all(root.path().join("memory/pods")).unwrap();
        write("memory/pods/memory.limit_in_bytes", "1048576\n");
        assert_eq!(
            limit("3:cpu,cpuacct:/\n9:memory:/pods/one\n"),
            Some(1_048_576)
        );
    }
}
