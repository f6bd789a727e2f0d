//! The machine: the assignment of cores, and the kernel's figures of a process.

use std::fs;
use std::ops::Add;
use std::process::Command;
use std::time::Duration;

/// Moves this process, which generates the load, to the second core.
pub(crate) fn pin_to_load_core() {
    let own = std::process::id().to_string();
    let pinned = Command::new("taskset").args(["-cp", "1", &own]).output();
    if !pinned.is_ok_and(|output| output.status.success()) {
        eprintln!("one core alone, or no taskset: load and server disturb each other");
    }
}

/// A command on the server's core.
pub(crate) fn command_on_server_core(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0", program]);
    command
}

/// Sends SIGTERM to a process. Returns false if the process no longer exists.
pub(crate) fn terminate(process: u32) -> bool {
    let id = process.to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    sent.is_ok_and(|status| status.success())
}

/// The CPU time so far of all threads of a process and of its child processes. The time of an ended thread is lost, so
/// a server that starts a thread for each request cannot be measured.
pub(crate) fn cpu_time(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("a living process");
    let nanoseconds = threads.flatten().map(|thread| {
        let stat = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let own = stat.split(' ').next().and_then(|text| text.parse().ok());
        own.unwrap_or(0)
    });
    let own = Duration::from_nanos(nanoseconds.sum());
    child_processes(process)
        .into_iter()
        .map(cpu_time)
        .fold(own, Duration::add)
}

fn child_processes(process: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parent = process.to_string();
    ids.filter(|&id| status_line(id, "PPid:").is_some_and(|found| found == parent))
        .collect()
}

/// Resident memory, in MiB.
pub(crate) fn resident_mib(process: u32) -> f64 {
    let kib =
        status_line(process, "VmRSS:").and_then(|text| text.strip_suffix(" kB")?.parse().ok());
    let kib: f64 = kib.expect("a living process");
    kib / 1024.0
}

/// A line of the kernel's status of a process, or None if the process no longer exists.
fn status_line(process: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().to_owned())
}

pub(crate) fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

pub(crate) fn processor_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let name = model.and_then(|line| line.split(": ").nth(1));
    name.unwrap_or("an unnamed processor").to_owned()
}
