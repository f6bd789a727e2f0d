//! A strict parser for Prometheus' text format 0.0.4.

use std::collections::BTreeMap;

pub type Labels = BTreeMap<String, String>;

#[derive(Debug)]
pub struct Sample {
    pub name: String,
    pub labels: Labels,
    pub value: f64,
}

pub struct Scrape {
    pub text: String,
    pub samples: Vec<Sample>,
    /// The type of each family: counter, gauge or histogram.
    pub types: BTreeMap<String, String>,
}

impl Scrape {
    pub fn parse(text: &str) -> Scrape {
        let mut scrape = Scrape {
            text: text.to_owned(),
            samples: Vec::new(),
            types: BTreeMap::new(),
        };
        let mut helped = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                assert!(!help.is_empty(), "{name} has no help");
                helped.push(name.to_owned());
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert_eq!(helped.last().map(String::as_str), Some(name));
                let earlier = scrape.types.insert(name.to_owned(), kind.to_owned());
                assert_eq!(earlier, None, "{name} twice");
            } else {
                let sample = parse_sample(line);
                let family = helped.last().unwrap();
                assert!(
                    sample.name.starts_with(family.as_str()),
                    "{line} under {family}"
                );
                scrape.samples.push(sample);
            }
        }
        assert!(text.ends_with('\n') && !scrape.samples.is_empty());
        scrape
    }

    /// The samples of a name with at least these labels.
    fn with_labels(&self, name: &str, labels: &Labels) -> Vec<&Sample> {
        let has = |sample: &&Sample| {
            let mut labels = labels.iter();
            sample.name == name
                && labels.all(|(label, value)| sample.labels.get(label) == Some(value))
        };
        self.samples.iter().filter(has).collect()
    }

    fn of(&self, series: &str) -> Vec<&Sample> {
        let (name, labels) = parse_series(series);
        self.with_labels(name, &labels)
    }

    /// The value of the only sample with this name and at least these labels: `name{label="value"}`.
    #[track_caller]
    pub fn value(&self, series: &str) -> f64 {
        match self.of(series)[..] {
            [only] => only.value,
            ref found => panic!("{series}: {found:?} in\n{}", self.text),
        }
    }

    /// Asserts the values of such samples, one a line.
    #[track_caller]
    pub fn assert_lines(&self, expected: &str) {
        for line in expected.lines() {
            let (series, value) = line.trim().rsplit_once(' ').unwrap();
            assert_eq!(self.value(series), parse_limit(value), "{series}");
        }
    }

    pub fn sum(&self, series: &str) -> f64 {
        self.of(series).iter().map(|sample| sample.value).sum()
    }

    /// Buckets are cumulative, the last one equals the count, and each histogram has a sum and a count.
    #[track_caller]
    pub fn assert_histograms_add_up(&self) {
        let histograms = self.types.iter().filter(|(_, kind)| *kind == "histogram");
        let mut seen = 0;
        for (name, _) in histograms {
            for total in self.of(&format!("{name}_count")) {
                let buckets = self.with_labels(&format!("{name}_bucket"), &total.labels);
                let limits: Vec<f64> = buckets
                    .iter()
                    .map(|b| parse_limit(&b.labels["le"]))
                    .collect();
                assert!(limits.is_sorted() && limits.len() > 5, "{name}: {limits:?}");
                let within: Vec<f64> = buckets.iter().map(|b| b.value).collect();
                assert!(within.is_sorted(), "{name}: {within:?}");
                assert_eq!(limits.last(), Some(&f64::INFINITY), "{name}");
                assert_eq!(within.last(), Some(&total.value), "{name}");
                let sums = self.with_labels(&format!("{name}_sum"), &total.labels);
                let [sum] = sums[..] else {
                    panic!("{name}: {sums:?}")
                };
                let sum = sum.value;
                assert!(sum >= 0.0 && (total.value > 0.0 || sum == 0.0), "{name}");
                seen += 1;
            }
        }
        assert!(seen > 5, "{seen} histograms");
    }
}

fn parse_limit(text: &str) -> f64 {
    text.trim_start_matches('+').to_lowercase().parse().unwrap()
}

/// `name{label="value",…} 1.5`
fn parse_sample(line: &str) -> Sample {
    let (series, value) = line
        .rsplit_once(' ')
        .unwrap_or_else(|| panic!("no value: {line}"));
    let (name, labels) = parse_series(series);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    assert!(name.chars().all(is_name), "{line}");
    Sample {
        name: name.to_owned(),
        labels,
        value: parse_limit(value),
    }
}

/// `name{label="value",…}`
fn parse_series(series: &str) -> (&str, Labels) {
    match series.split_once('{') {
        None => (series, Labels::new()),
        Some((name, rest)) => (name, parse_labels(rest.strip_suffix('}').unwrap())),
    }
}

/// None of our values contains a quote, a backslash or a line end, so none is escaped.
fn parse_labels(text: &str) -> Labels {
    let pairs = text.split("\",").map(|pair| {
        let (name, value) = pair.split_once("=\"").unwrap_or_else(|| panic!("{text}"));
        let value = value.trim_end_matches('"');
        assert!(!value.contains(['"', '\\']), "{text}");
        (name.to_owned(), value.to_owned())
    });
    pairs.collect()
}
