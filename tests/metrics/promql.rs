//! A parser for the part of PromQL that lists the metrics and labels of an expression.

use super::scrape::Scrape;

/// Labels that Prometheus adds to every series, and the bound of a bucket.
const PROMETHEUS_LABELS: [&str; 3] = ["instance", "job", "le"];
/// A series that Prometheus itself makes.
const PROMETHEUS_SERIES: &str = "up";

#[derive(Debug, Default)]
pub(crate) struct Query {
    text: String,
    selectors: Vec<Selector>,
    /// Labels by which results are grouped.
    group_labels: Vec<String>,
}

#[derive(Debug)]
struct Selector {
    name: String,
    matchers: Vec<(String, String, String)>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        let mut query = Query {
            text: text.to_owned(),
            ..Query::default()
        };
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
            rest = &rest[start..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            let behind = after.trim_start();
            rest = after;
            if word == "by" {
                let (list, after) = behind.strip_prefix('(').unwrap().split_once(')').unwrap();
                let labels = list.split(',').map(|label| label.trim().to_owned());
                query.group_labels.extend(labels);
                rest = after;
            } else if word.starts_with("account_")
                || word.starts_with("process_")
                || word == PROMETHEUS_SERIES
            {
                let matchers = match behind.strip_prefix('{') {
                    None => Vec::new(),
                    Some(inside) => {
                        let (list, after) = inside.split_once('}').unwrap();
                        rest = after;
                        parse_matchers(list)
                    }
                };
                query.selectors.push(Selector {
                    name: word.to_owned(),
                    matchers,
                });
            }
        }
        assert!(!query.selectors.is_empty(), "{text} has no selector");
        query
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.selectors.iter().map(|selector| selector.name.clone())
    }

    /// Asserts that every name exists, with every label and every value of the expression.
    #[track_caller]
    pub(crate) fn assert_series_exist(&self, scrape: &Scrape) {
        for Selector { name, matchers } in &self.selectors {
            if name == PROMETHEUS_SERIES {
                continue;
            }
            let found = scrape.of(name, &[]);
            assert!(!found.is_empty(), "no {name} for {}", self.text);
            for (label, operator, value) in matchers {
                if PROMETHEUS_LABELS.contains(&label.as_str()) {
                    continue;
                }
                let values: Vec<_> = found.iter().filter_map(|s| s.labels.get(label)).collect();
                assert!(!values.is_empty(), "no label {label} of {name}");
                for wanted in required_values(operator, value) {
                    let is_there = values.iter().any(|value| match wanted.strip_suffix(".*") {
                        Some(start) => value.starts_with(start),
                        None => *value == wanted,
                    });
                    assert!(is_there, "no {name} with {label}={wanted}: {values:?}");
                }
            }
        }
        for label in self
            .group_labels
            .iter()
            .filter(|l| !PROMETHEUS_LABELS.contains(&l.as_str()))
        {
            let has = |selector: &Selector| {
                let found = scrape.of(&selector.name, &[]);
                found.iter().any(|sample| sample.labels.contains_key(label))
            };
            assert!(
                self.selectors.iter().any(has),
                "no label {label}: {}",
                self.text
            );
        }
    }
}

/// `label="value",other=~"a|b"`; none of our values contains a comma.
fn parse_matchers(list: &str) -> Vec<(String, String, String)> {
    let pairs = list.split(',').map(|pair| {
        let (label, rest) = pair.split_at(pair.find(['=', '!']).unwrap());
        let (operator, value) = rest.split_at(rest.find('"').unwrap());
        let value = value.trim_matches('"');
        (
            label.trim().to_owned(),
            operator.to_owned(),
            value.to_owned(),
        )
    });
    pairs.collect()
}

fn is_server_error(status: &str) -> bool {
    status.len() == 3 && status.starts_with('5') && status.bytes().all(|b| b.is_ascii_digit())
}

/// The values that must exist for a matcher. A run without faults has no errors (`5..`).
fn required_values<'a>(operator: &str, value: &'a str) -> Vec<&'a str> {
    match operator {
        "=" if is_server_error(value) => Vec::new(),
        "=" => vec![value],
        "=~" => value
            .split('|')
            .filter(|part| !part.contains(".."))
            .collect(),
        _ => panic!("{operator} is not supported"),
    }
}

/// The `expr` of each rule, on one line or below `expr: |`.
pub(crate) fn expressions_of_rules(yaml: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = yaml.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(value) = line.trim_start().strip_prefix("expr:") else {
            continue;
        };
        let mut expression = value.trim().trim_matches('|').to_owned();
        while let Some(more) = lines.next_if(|next| indent(next) > indent(line)) {
            expression.push(' ');
            expression.push_str(more.trim());
        }
        found.push(expression);
    }
    let rules = yaml.matches("- alert:").count();
    assert_eq!(found.len(), rules, "each rule has an expression");
    found
}
