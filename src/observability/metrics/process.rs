//! The standard process metrics of Prometheus clients
//! (prometheus.io/docs/instrumenting/writing_clientlibs, "Process metrics").

use prometheus::{Counter, IntGauge};

use super::MetricFactory;

metrics! {
    pub(crate) struct ProcessMetrics {
        cpu: Counter = float_counter("process_cpu_seconds_total",
            "Processor time of this process, user and system");
        resident: IntGauge = gauge("process_resident_memory_bytes",
            "Memory of this process that is in RAM");
        open_files: IntGauge = gauge("process_open_fds", "Open file descriptors");
        max_files: IntGauge = gauge("process_max_fds",
            "File descriptors that this process may open");
    }
}

impl ProcessMetrics {
    /// Updates the metrics. If a value cannot be read, the metric keeps its last value.
    #[cfg(target_os = "linux")]
    pub(crate) fn refresh(&self) {
        use rustix::process::{Resource, getrlimit};
        use rustix::time::{ClockId, clock_gettime};

        let time = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        // A Prometheus counter must not decrease.
        self.cpu.inc_by((seconds - self.cpu.get()).max(0.0));
        if let Some(bytes) = resident_bytes() {
            self.resident.set(bytes);
        }
        if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
            // One of the open files is the directory that this function reads.
            let open = files.count().saturating_sub(1);
            self.open_files.set(i64::try_from(open).unwrap_or(i64::MAX));
        }
        // If the process has no limit of open files, the largest number is reported.
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        self.max_files.set(i64::try_from(limit).unwrap_or(i64::MAX));
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn refresh(&self) {}
}

/// Parses the line `VmRSS: 12345 kB` of proc_pid_status(5).
#[cfg(target_os = "linux")]
fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}
