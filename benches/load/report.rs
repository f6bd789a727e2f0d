//! The table: printed while the measurement runs, and written to `docs/benchmarks.md` at the end.

use std::process::Command;

use super::machine;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/benchmarks.md");

pub(crate) struct Report {
    lines: Vec<String>,
    section: &'static str,
}

impl Report {
    pub(crate) fn new() -> Report {
        let report = Report {
            lines: Vec::new(),
            section: "figures",
        };
        eprintln!(
            "load average {}: quiet is below 0.5",
            machine::load_average()
        );
        report
    }

    /// Selects another section of the page.
    pub(crate) fn section(&mut self, name: &'static str) {
        self.section = name;
    }

    /// Adds a figure: its name, its value, its limit, its goal, and whether it meets the goal.
    pub(crate) fn row(&mut self, what: &str, found: &str, limit: &str, goal: &str, holds: bool) {
        if self.lines.is_empty() {
            self.cells(&[
                "figure", "here", "limit or peer in the same run", "goal", "",
            ]);
            self.print("|---|---:|---:|---|---|".to_owned());
        }
        let verdict = if holds { "holds" } else { "**missed**" };
        self.cells(&[what, found, limit, goal, verdict]);
    }

    fn cells(&mut self, cells: &[&str]) {
        self.print(format!("| {} |", cells.join(" | ")));
    }

    fn print(&mut self, line: String) {
        println!("{line}");
        self.lines.push(line);
    }

    /// Writes the table and the description of the machine between the marks of the section.
    pub(crate) fn write(self) {
        let (begin, end) = (
            format!("<!-- {} -->", self.section),
            format!("<!-- end of {} -->", self.section),
        );
        let page = std::fs::read_to_string(DOCUMENT).expect("docs/benchmarks.md");
        let (before, rest) = page.split_once(&begin).expect("the section's first mark");
        let (_, after) = rest.split_once(&end).expect("the section's last mark");
        let made = format!(
            "{}, {} of 2 cores for the server, commit {}, load average {} at the end.",
            command_output("date", &["-u", "+%Y-%m-%d"]),
            machine::processor_name() + ", one",
            command_output("git", &["rev-parse", "--short", "HEAD"]),
            machine::load_average(),
        );
        let table = self.lines.join("\n");
        let page = format!("{before}{begin}\n{made}\n\n{table}\n{end}{after}");
        std::fs::write(DOCUMENT, page).expect("docs/benchmarks.md");
    }
}

/// The output of a program, or an empty text if it fails.
pub(crate) fn command_output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().trim().to_owned()
}

/// The median of an odd number of figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
