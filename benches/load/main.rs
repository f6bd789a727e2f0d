//! The figures of the program, each beside its limit from the same run (docs/benchmarks.md).
//!
//! `make bench`. The server has one core; this process, which generates the load, has another. Each figure is the
//! median of five rounds. Compared figures are measured in turns, so that any disturbance affects all of them. Needs
//! the release binary in `target/release/account`, and PostgreSQL in `ACCOUNT_TEST_POSTGRES_URL`.

#[path = "../../tests/support/authenticator.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "only the tests use the other functions"
)]
mod authenticator;
mod bare;
mod client;
mod figures;
mod growth;
mod machine;
mod report;
mod server;
mod site;

use report::Report;

fn main() {
    // cargo adds `--bench`.
    let given = std::env::args().skip(1);
    let arguments: Vec<String> = given.filter(|word| word != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("--bare-axum") => bare::serve_fixed_response(&arguments[1], &arguments[2]),
        Some("--bare-hash") => bare::measure_hash_rate(&arguments[1]),
        Some("--growth") => measure(|report| growth::run(report, &arguments[1..])),
        // Prints one part of the table, which `figures::PARTS` names.
        Some("--only") => measure(|report| figures::run_one(report, &arguments[1])),
        _ => measure(figures::run_all),
    }
}

fn measure<F: Future<Output = ()>>(figures: impl FnOnce(Report) -> F) {
    machine::pin_to_load_core();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(figures(Report::new()));
}
