//! The table: on the screen while it grows, in `docs/benchmarks.md` at its end.

use std::process::Command;

use super::machine;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/benchmarks.md");

pub(crate) struct Report {
    lines: Vec<String>,
    section: &'static str,
}

impl Report {
    pub(crate) fn begin() -> Report {
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

    /// Another place of the page than the usual one.
    pub(crate) fn section(&mut self, name: &'static str) {
        self.section = name;
    }

    /// One figure: what it is, what came out, what it is held against, and whether it holds.
    pub(crate) fn row(&mut self, what: &str, found: &str, limit: &str, goal: &str, holds: bool) {
        if self.lines.is_empty() {
            self.cells(&[
                "figure",
                "here",
                "limit or peer in the same run",
                "goal",
                "",
            ]);
            self.print("|---|---:|---:|---|---|".to_owned());
        }
        let verdict = if holds { "holds" } else { "**missed**" };
        self.cells(&[what, found, limit, goal, verdict]);
    }

    /// The head of a table with other columns than those of [`Report::row`].
    pub(crate) fn head(&mut self, names: &[&str]) {
        self.cells(names);
        self.print(format!("|{}", "---|".repeat(names.len())));
    }

    pub(crate) fn cells(&mut self, cells: &[&str]) {
        self.print(format!("| {} |", cells.join(" | ")));
    }

    fn print(&mut self, line: String) {
        println!("{line}");
        self.lines.push(line);
    }

    /// Puts the table and where it was made between the section's marks.
    pub(crate) fn write(self) {
        let (begin, end) = (
            format!("<!-- {} -->", self.section),
            format!("<!-- end of {} -->", self.section),
        );
        let page = std::fs::read_to_string(PAGE).expect("docs/benchmarks.md");
        let (before, rest) = page.split_once(&begin).expect("the section's first mark");
        let (_, after) = rest.split_once(&end).expect("the section's last mark");
        let made = format!(
            "{}, {} of 2 cores for the server, commit {}, load average {} at the end.",
            said("date", &["-u", "+%Y-%m-%d"]),
            machine::processor() + ", one",
            said("git", &["rev-parse", "--short", "HEAD"]),
            machine::load_average(),
        );
        let table = self.lines.join("\n");
        let page = format!("{before}{begin}\n{made}\n\n{table}\n{end}{after}");
        std::fs::write(PAGE, page).expect("docs/benchmarks.md");
    }
}

/// What a program prints; nothing where it cannot.
pub(crate) fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().trim().to_owned()
}

/// The middle of an odd number of figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
