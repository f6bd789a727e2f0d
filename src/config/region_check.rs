//! Checks of the regions. Each problem is one line with the key and the fix.

use std::collections::HashSet;

use super::{Consent, Region};

const ENVIRONMENTS: [&str; 4] = ["dev", "stage", "preProd", "prod"];

pub(super) fn problems(regions: &[Region]) -> Vec<String> {
    let mut found: Vec<String> = regions.iter().flat_map(of_one).collect();
    let (mut ids, mut hosts) = (HashSet::new(), HashSet::new());
    for region in regions {
        if !ids.insert(&region.id) {
            found.push(format!(
                "regions.{}.id: two regions have this id; each needs its own",
                region.id
            ));
        }
        for host in &region.hosts {
            if !hosts.insert(host.to_ascii_lowercase()) {
                found.push(format!(
                    "regions.{}.hosts: {host} is listed twice; a host belongs to one region",
                    region.id
                ));
            }
        }
    }
    found
}

fn of_one(region: &Region) -> Vec<String> {
    let id = &region.id;
    let mut found = Vec::new();
    let mut check = |fine: bool, key: &str, problem: String| {
        if !fine {
            found.push(format!("regions.{id}.{key}: {problem}"));
        }
    };
    if region.id.is_empty() || region.brand.is_empty() {
        return vec!["regions: each needs an id and a brand".into()];
    }
    check(
        jiff::tz::TimeZone::get(&region.timezone).is_ok(),
        "timezone",
        format!("'{}' is not the name of a time zone", region.timezone),
    );
    check(
        region.hosts.iter().all(|h| !h.contains([':', '/'])),
        "hosts",
        "host names only, without scheme or port".into(),
    );
    check(
        ENVIRONMENTS.contains(&region.environment.as_str()),
        "environment",
        format!("must be one of {}", ENVIRONMENTS.join(", ")),
    );
    if let Some(problem) = region.accent.problem() {
        check(false, "accent", problem);
    }
    check(
        region.logo.as_deref().is_none_or(is_address),
        "logo",
        "must be a path like /logo.svg or an address with http:// or https://".into(),
    );
    check(
        region
            .mail_from
            .as_ref()
            .is_none_or(|from| is_mailbox(from)),
        "mail_from",
        "must be a mailbox like Name <name@example.org>".into(),
    );
    let is_link = |link: &str| is_address(link) || link.starts_with("mailto:");
    for (key, link) in region.links.all() {
        let problem = "must be a path like /terms or an address with http:// or https://";
        check(
            link.is_none_or(is_link),
            &format!("links.{key}"),
            problem.into(),
        );
    }
    for (key, url) in region.consent.iter().flat_map(Consent::urls) {
        check(
            is_web(url),
            key,
            "must be an address with http:// or https://".into(),
        );
    }
    found
}

fn is_mailbox(text: &str) -> bool {
    text.parse::<lettre::message::Mailbox>().is_ok()
}

/// Returns whether the text is a path on this site, or an http or https address.
pub(super) fn is_address(text: &str) -> bool {
    let is_path = text.starts_with('/') && !text.starts_with("//") && !text.contains('\\');
    (is_path && !text.contains(char::is_control)) || is_web(text)
}

fn is_web(text: &str) -> bool {
    url::Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(change: impl FnOnce(&mut Region)) -> Vec<String> {
        let mut region = Region::default();
        change(&mut region);
        problems(&[region])
    }

    #[test]
    fn zones_are_known_on_a_machine_that_has_no_list_of_them() {
        let zones = jiff::tz::TimeZoneDatabase::bundled();
        for name in ["America/New_York", "Europe/Berlin", "America/Sao_Paulo"] {
            assert!(zones.get(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn each_problem_names_its_key() {
        assert_eq!(problems(&[Region::default()]), Vec::<String>::new());
        for (key, found) in [
            ("timezone", told(|r| r.timezone = "Moon/Base".into())),
            ("hosts", told(|r| r.hosts = vec!["a.example:80".into()])),
            (
                "hosts",
                told(|r| r.hosts = vec!["a.test".into(), "A.test".into()]),
            ),
            ("environment", told(|r| r.environment = "live".into())),
            ("accent", told(|r| r.accent = "#222222".parse().unwrap())),
            ("logo", told(|r| r.logo = Some("logo.svg".into()))),
            ("logo", told(|r| r.logo = Some("//evil.example/x".into()))),
            ("mail_from", told(|r| r.mail_from = Some("nobody".into()))),
            (
                "links.terms",
                told(|r| r.links.terms = Some("javascript:alert(1)".into())),
            ),
        ] {
            assert_eq!(found.len(), 1, "{key}: {found:?}");
            assert!(
                found[0].starts_with(&format!("regions.us.{key}: ")),
                "{found:?}"
            );
        }
        assert_eq!(problems(&[Region::default(), Region::default()]).len(), 1);
    }
}
