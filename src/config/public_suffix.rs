//! Detects public suffixes, which are names such as `co.uk`, below which everybody can register domains. A public
//! suffix is therefore not a site.

/// The public suffixes of two labels. Each line of the file is the first label of a suffix (`*` is any label), followed
/// by the countries that use it. The file contains the suffixes of the ICANN section of the Public Suffix List
/// (publicsuffix.org, 2023-02-09) whose first label, such as `co`, begins the suffixes of five or more countries. The
/// whole Public Suffix List has 9000 names and would add a megabyte to the program.
///
/// The file contains no suffixes of three labels, no rare suffixes, and no suffixes of companies (`github.io`).
/// If such a suffix is the `passkeys.rp_id`, this program logs no warning, but browsers know the suffix and refuse the
/// passkeys. Browsers also count each host below the suffix as a separate name.
const TWO_LABEL_SUFFIXES: &str = include_str!("second-levels.txt");

/// Returns whether a domain in lower case is a public suffix. Every name without a dot is a public suffix.
pub(super) fn is_public_suffix(domain: &str) -> bool {
    match domain.rsplit_once('.') {
        None => true,
        Some((label, country)) => TWO_LABEL_SUFFIXES.lines().any(|line| {
            let mut words = line.split(' ');
            let is_listed = words.next().is_some_and(|first| match first {
                "*" => !label.contains('.'),
                first => first == label,
            });
            is_listed && words.any(|word| word == country)
        }),
    }
}

/// Returns the first label of the registrable domain of a host in lower case: `example` for `www.example.org` and for
/// `example.co.uk`. A public suffix is returned unchanged.
pub(super) fn registrable_label(host: &str) -> &str {
    let mut name = host;
    while let Some((label, rest)) = name.split_once('.') {
        if is_public_suffix(rest) {
            return if is_public_suffix(name) { name } else { label };
        }
        name = rest;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_public_only_in_the_countries_that_register_below_them() {
        for public in [
            "org", "localhost", "co.uk", "me.uk", "com.br", "or.jp", "x.np",
        ] {
            assert!(is_public_suffix(public), "{public}");
        }
        for own in [
            "example.org", "web.de", "me.com", "example.co.uk", "a.x.np", "co.nl",
        ] {
            assert!(!is_public_suffix(own), "{own}");
        }
    }

    #[test]
    fn the_registrable_label_precedes_the_public_suffix() {
        for (host, label) in [
            ("example.org", "example"),
            ("a.www.example.org", "example"),
            ("www.example.co.uk", "example"),
            ("example.me.uk", "example"),
            ("www.web.de", "web"),
            ("de.localhost", "de"),
            ("localhost", "localhost"),
            ("co.uk", "co.uk"),
        ] {
            assert_eq!(registrable_label(host), label, "{host}");
        }
    }

    #[test]
    fn the_list_has_lines_of_labels_and_countries_in_order() {
        let labels: Vec<_> = TWO_LABEL_SUFFIXES
            .lines()
            .map(|l| l.split(' ').next())
            .collect();
        assert!(labels.is_sorted());
        for line in TWO_LABEL_SUFFIXES.lines() {
            let countries: Vec<_> = line.split(' ').skip(1).collect();
            assert!(countries.is_sorted() && countries.len() >= 5, "{line}");
            assert!(countries.iter().all(|country| country.len() == 2), "{line}");
        }
    }
}
