//! A strict parser for Prometheus' text format 0.0.4.

use std::collections::BTreeMap;

pub(crate) type Labels = BTreeMap<String, String>;

#[derive(Debug)]
pub(crate) struct Sample {
    pub name: String,
    pub labels: Labels,
    pub value: f64,
}

pub(crate) struct Scrape {
    pub text: String,
    pub samples: Vec<Sample>,
    /// The type of each family: counter, gauge or histogram.
    pub types: BTreeMap<String, String>,
}

impl Scrape {
    pub(crate) fn parse(text: &str) -> Scrape {
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
    pub(crate) fn of<'a>(&'a self, name: &'a str, labels: &'a [(&str, &str)]) -> Vec<&'a Sample> {
        let has = |sample: &&Sample| {
            sample.name == name
                && labels.iter().all(|(label, value)| {
                    sample
                        .labels
                        .get(*label)
                        .is_some_and(|found| found == value)
                })
        };
        self.samples.iter().filter(has).collect()
    }

    /// The value of the only such sample.
    #[track_caller]
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        match self.of(name, labels)[..] {
            [only] => only.value,
            ref found => panic!("{name} {labels:?}: {found:?} in\n{}", self.text),
        }
    }

    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.of(name, labels)
            .iter()
            .map(|sample| sample.value)
            .sum()
    }

    /// Buckets are cumulative, the last one equals the count, and each histogram has a sum and a count.
    #[track_caller]
    pub(crate) fn assert_histograms_add_up(&self) {
        let histograms = self.types.iter().filter(|(_, kind)| *kind == "histogram");
        let mut seen = 0;
        for (name, _) in histograms {
            let count = format!("{name}_count");
            for total in self.of(&count, &[]) {
                let labels: Vec<_> = total
                    .labels
                    .iter()
                    .map(|(k, v)| (k.as_str(), v.as_str()))
                    .collect();
                let bucket_name = format!("{name}_bucket");
                let buckets = self.of(&bucket_name, &labels);
                let limits: Vec<f64> = buckets
                    .iter()
                    .map(|b| parse_limit(&b.labels["le"]))
                    .collect();
                assert!(limits.is_sorted() && limits.len() > 5, "{name}: {limits:?}");
                let within: Vec<f64> = buckets.iter().map(|b| b.value).collect();
                assert!(within.is_sorted(), "{name}: {within:?}");
                assert_eq!(limits.last(), Some(&f64::INFINITY), "{name}");
                assert_eq!(within.last(), Some(&total.value), "{name}");
                let sum = self.value(&format!("{name}_sum"), &labels);
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
    let (name, labels) = match series.split_once('{') {
        None => (series, Labels::new()),
        Some((name, rest)) => (name, parse_labels(rest.strip_suffix('}').unwrap())),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    assert!(name.chars().all(is_name), "{line}");
    Sample {
        name: name.to_owned(),
        labels,
        value: parse_limit(value),
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
