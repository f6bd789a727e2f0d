//! Checks the settings of the regions. Each problem is one line with the name of the setting and the fix.

use std::collections::HashSet;

use super::host::normalize_host;
use super::{Consent, Region, parse_sender};
use crate::config::host::parse_url;
use crate::domain::country;

const ENVIRONMENTS: [&str; 4] = ["dev", "stage", "preProd", "prod"];

pub(super) fn problems(regions: &[Region]) -> Vec<String> {
    let mut found: Vec<String> = regions.iter().flat_map(region_problems).collect();
    let (mut ids, mut hosts) = (HashSet::new(), HashSet::new());
    for region in regions {
        if !ids.insert(&region.id) {
            found.push(format!(
                "regions.{}.id: two regions have this id; each needs its own",
                region.id
            ));
        }
        for host in &region.hosts {
            if !hosts.insert(normalize_host(host)) {
                found.push(format!(
                    "regions.{}.hosts: {host} is listed twice; a host belongs to one region",
                    region.id
                ));
            }
        }
    }
    found
}

fn region_problems(region: &Region) -> Vec<String> {
    let id = &region.id;
    let mut found = Vec::new();
    let mut check = |is_valid: bool, key: &str, problem: String| {
        if !is_valid {
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
        ENVIRONMENTS.contains(&region.environment.as_str()),
        "environment",
        format!("must be one of {}", ENVIRONMENTS.join(", ")),
    );
    if let Some(problem) = region.accent.problem() {
        check(false, "accent", problem);
    }
    check(
        region.logo.as_deref().is_none_or(is_path_or_url),
        "logo",
        "must be a path like /logo.svg or an address with http:// or https://".into(),
    );
    check(
        region.avatar_images.as_deref().is_none_or(is_picture_url),
        "avatar_images",
        "must be an address with https:// and {username} or {id} in its path or query".into(),
    );
    let is_link = |link: &str| is_path_or_url(link) || link.starts_with("mailto:");
    for (key, link) in region.links.with_names() {
        let problem = "must be a path like /terms or an address with http:// or https://";
        check(
            link.is_none_or(is_link),
            &format!("links.{key}"),
            problem.into(),
        );
    }
    for (key, url) in region.consent.iter().flat_map(Consent::urls) {
        check(
            is_web_url(url),
            key,
            "must be an address with http:// or https://".into(),
        );
    }
    found.extend(spelling_problems(region));
    found
}

/// Returns the problems in the form of hosts, country and sender. HTTP requests and mail servers use exactly one form
/// of these values, so any other form would never match.
fn spelling_problems(region: &Region) -> impl Iterator<Item = String> {
    let (country, sender) = (region.country_code.as_deref(), region.mail_from.as_deref());
    let checks = [
        (
            region
                .hosts
                .iter()
                .all(|host| normalize_host(host).is_some()),
            "hosts: host names only, without scheme, port, asterisk or trailing dot",
        ),
        (
            country.is_none_or(|code| country::parse(code).is_ok()),
            "country_code: must be a two-letter code (ISO 3166-1) that the forms list, like us or gb",
        ),
        (
            sender.is_none_or(|from| parse_sender(from).is_some()),
            "mail_from: must be a mailbox like Name <name@example.org>, in ASCII before the @",
        ),
    ];
    let wrong = checks.into_iter().filter(|(is_valid, _)| !is_valid);
    wrong.map(|(_, problem)| format!("regions.{}.{problem}", region.id))
}

/// Returns whether the text is a path on this site, or an http or https URL.
pub(super) fn is_path_or_url(text: &str) -> bool {
    let is_path = text.starts_with('/') && !text.starts_with("//") && !text.contains('\\');
    (is_path && !text.contains(char::is_control)) || is_web_url(text)
}

/// Returns whether the text is an https URL with a placeholder for the username or the id. The placeholder must not be
/// in the host, because a user could then choose the server by the username.
fn is_picture_url(text: &str) -> bool {
    let names_person = |text: &str| text.contains("{username}") || text.contains("{id}");
    let Some((origin, rest)) = text
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    is_web_url(&format!("https://{origin}/")) && !origin.contains(['{', '@']) && names_person(rest)
}

fn is_web_url(text: &str) -> bool {
    parse_url(text).is_some_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_after_change(change: impl FnOnce(&mut Region)) -> Vec<String> {
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

    type BreakRegion = fn(&mut Region);

    /// The name of a setting of a region, and a function that sets an invalid value of this setting.
    const INVALID_REGIONS: &[(&str, BreakRegion)] = &[
        ("timezone", |r| r.timezone = "Moon/Base".into()),
        ("hosts", |r| r.hosts = vec!["a.example:80".into()]),
        ("hosts", |r| {
            r.hosts = vec!["a.test".into(), "A.test".into()];
        }),
        ("hosts", |r| r.hosts = vec!["*.example.org".into()]),
        ("hosts", |r| r.hosts = vec![" ".into()]),
        ("hosts", |r| r.hosts = vec!["a.test.".into()]),
        ("country_code", |r| r.country_code = Some("uk".into())),
        ("country_code", |r| r.country_code = Some("DE".into())),
        ("mail_from", |r| r.mail_from = Some("ä@example.org".into())),
        ("mail_from", |r| r.mail_from = Some("nobody".into())),
        ("environment", |r| r.environment = "live".into()),
        ("accent", |r| r.accent = "#222222".parse().unwrap()),
        ("logo", |r| r.logo = Some("logo.svg".into())),
        ("logo", |r| r.logo = Some("//evil.example/x".into())),
        ("avatar_images", |r| {
            r.avatar_images = Some("https://a.example/x.png".into());
        }),
        ("avatar_images", |r| {
            r.avatar_images = Some("http://a.example/{id}.png".into());
        }),
        ("avatar_images", |r| {
            r.avatar_images = Some("https://{username}.example/{id}".into());
        }),
        ("avatar_images", |r| {
            r.avatar_images = Some("https://*.example/{id}".into());
        }),
        ("avatar_images", |r| {
            r.avatar_images = Some("https://a.example./{id}".into());
        }),
        ("links.terms", |r| {
            r.links.terms = Some("https:///terms".into());
        }),
        ("links.terms", |r| {
            r.links.terms = Some("javascript:alert(1)".into());
        }),
    ];

    #[test]
    fn each_problem_names_its_key() {
        assert_eq!(problems(&[Region::default()]), Vec::<String>::new());
        for (key, spoil) in INVALID_REGIONS {
            let found = problems_after_change(spoil);
            assert_eq!(found.len(), 1, "{key}: {found:?}");
            assert!(
                found[0].starts_with(&format!("regions.us.{key}: ")),
                "{found:?}"
            );
        }
        assert_eq!(problems(&[Region::default(), Region::default()]).len(), 1);
    }
}
