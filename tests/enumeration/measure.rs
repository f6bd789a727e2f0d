//! The observable differences between responses: content and time.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use account::testing::rng::Rng;
use account::testing::time_limit::slowness;

use crate::support::actors;
use crate::support::prelude::*;
use crate::wire::Client;

/// One class of people on one route: its name, and the body of the n-th request.
pub type Class<'a> = (&'static str, Box<dyn Fn(u32) -> Value + Send + Sync + 'a>);

/// Milliseconds of each response, by class.
pub type Times = BTreeMap<&'static str, Vec<f64>>;

/// The observable part of a response, without date, request id and repeated input.
pub fn observable_response(response: &Response, sent: &Value) -> String {
    let mut lines: Vec<String> = response
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()))
        .map(|(name, value)| match name.as_str() {
            // The value is random; its length and the attributes are constant.
            "set-cookie" => {
                let text = value.to_str().unwrap();
                let (pair, rest) = text.split_once(';').unwrap();
                format!(
                    "{name}: {} {};{rest}",
                    pair.split('=').next().unwrap(),
                    pair.len()
                )
            }
            _ => format!("{name}: {}", value.to_str().unwrap()),
        })
        .collect();
    lines.sort();
    let mut body = response.text().to_owned();
    for field in ["email", "username"] {
        if let Some(text) = sent[field].as_str() {
            body = body.replace(text, field);
        }
    }
    format!("{}\n{}\n{body}", response.status, lines.join("\n"))
}

/// Sends one request for each class and round over one connection, in an order that is shuffled in each round. Asserts that
/// every response has the same observable part, and returns the durations.
pub async fn measure_interleaved(
    client: &mut Client,
    path: &str,
    classes: &[Class<'_>],
    rounds: Range<u32>,
) -> Times {
    let mut times = Times::new();
    let mut expected: Option<String> = None;
    for round in rounds {
        for at in shuffled_indices(classes.len()) {
            let (name, body) = &classes[at];
            let sent = body(round);
            let started = Instant::now();
            let response = client.post(path, &sent).await;
            let took = started.elapsed();
            let seen = observable_response(&response, &sent);
            let expected = expected.get_or_insert_with(|| seen.clone());
            assert_eq!(&seen, expected, "{path} for {name}");
            times
                .entry(name)
                .or_default()
                .push(took.as_secs_f64() * 1e3);
        }
    }
    times
}

fn shuffled_indices(length: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    for at in (1..length).rev() {
        let drawn = u64::from_be_bytes(Rng::System.bytes::<8>()) as usize;
        order.swap(at, drawn % (at + 1));
    }
    order
}

/// The differences of each class from the unknown address X. None if they are below the measurable limits.
fn measurable_difference(path: &str, times: &Times) -> Option<String> {
    let mut found = None;
    let unknown = times.get("X").expect("every route has the class X");
    for (name, ours) in times.iter().filter(|(name, _)| **name != "X") {
        let (a, b) = (median(unknown), median(ours));
        let auc = auc(unknown, ours);
        let gap = (a - b).abs();
        let line = format!(
            "{path}: X {a:.2} ms, {name} {b:.2} ms, {} requests each, AUC {auc:.3}",
            ours.len()
        );
        println!("{line}");
        let noise = 3.0 * median_standard_error(unknown).hypot(median_standard_error(ours));
        let is_apart = gap > f64::max(2.0, a.max(b) * 0.05).max(noise);
        if is_apart || (auc - 0.5).abs() > allowed_auc_deviation(ours.len()) {
            found = Some(line);
        }
    }
    found
}

/// 0.05 with 400 requests; with fewer, the bound that chance exceeds once in a hundred runs.
fn allowed_auc_deviation(requests: usize) -> f64 {
    let n = requests as f64;
    let noise = ((2.0 * n + 1.0) / (12.0 * n * n)).sqrt();
    f64::max(0.05, 2.5 * noise)
}

/// The standard error of the median, estimated from the median absolute deviation. A busy machine increases it.
fn median_standard_error(times: &[f64]) -> f64 {
    let middle = median(times);
    let deviations: Vec<f64> = times.iter().map(|time| (time - middle).abs()).collect();
    1.2533 * 1.4826 * median(&deviations) / (times.len() as f64).sqrt()
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The probability that a response of the one class takes longer than one of the other (Mann-Whitney U).
fn auc(a: &[f64], b: &[f64]) -> f64 {
    let wins: f64 = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| (x, y)))
        .map(|(x, y)| match x.total_cmp(y) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
        .sum();
    wins / (a.len() * b.len()) as f64
}

const MAX_ATTEMPTS: u32 = 3;

/// Measures until one run shows no difference, each time with more rounds. `measure` gets the numbers of its rounds.
///
/// # Panics
/// If each run shows a difference, unless the machine is too busy to judge: then the test counts as not judged, and
/// `scripts/with-postgres.sh` prints how many did.
pub async fn assert_even(
    name: &str,
    rounds: u32,
    mut measure: impl AsyncFnMut(Range<u32>) -> Times,
) {
    let (mut first, mut last) = (0, String::new());
    for attempt in 1..=MAX_ATTEMPTS {
        let times = measure(first..first + attempt * rounds).await;
        match measurable_difference(name, &times) {
            None => return,
            Some(difference) => last = difference,
        }
        first += attempt * rounds;
    }
    let log = std::env::var_os("ACCOUNT_TEST_RUN_FOLDER").filter(|_| slowness() > 1);
    let log = log.unwrap_or_else(|| panic!("the durations differ: {last}"));
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(Path::new(&log).join("not-judged"));
    writeln!(log.unwrap(), "{last}").unwrap();
}

/// A registration with this address and an unused username.
pub fn registration(email: &str, username: &str) -> Value {
    let mut form = actors::form(username);
    form["email"] = email.into();
    form
}
