//! The machine: which core is whose, and what the kernel says of a process.

use std::fs;
use std::process::Command;
use std::time::Duration;

/// Puts this process, which makes the load, onto the second core.
pub fn take_the_load_core() {
    let own = std::process::id().to_string();
    let pinned = Command::new("taskset").args(["-cp", "1", &own]).output();
    if !pinned.is_ok_and(|output| output.status.success()) {
        eprintln!("one core alone, or no taskset: load and server disturb each other");
    }
}

/// A command on the server's core.
pub fn on_the_server_core(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0", program]);
    command
}

/// Processor time of all threads so far.
pub fn cpu(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("a living process");
    let nanoseconds = threads.flatten().map(|thread| {
        let stat = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let own = stat.split(' ').next().and_then(|text| text.parse().ok());
        own.unwrap_or(0)
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// Resident memory, in MiB.
pub fn resident(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a living process");
    let kib = status.lines().find_map(|line| {
        let rest = line.strip_prefix("VmRSS:")?;
        rest.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()
    });
    kib.expect("a VmRSS line") / 1024.0
}

pub fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let name = model.and_then(|line| line.split(": ").nth(1));
    name.unwrap_or("an unnamed processor").to_owned()
}
