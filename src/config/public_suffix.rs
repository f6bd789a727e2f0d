//! Detects public suffixes, which are names such as `co.uk` and `github.io`, below which everybody can register domains
//! (publicsuffix.org). A public suffix is therefore not a site.

/// Returns whether a domain in lower case is a public suffix. Every name without a dot is a public suffix.
pub(super) fn is_public_suffix(domain: &str) -> bool {
    psl::suffix_str(domain) == Some(domain)
}

/// Returns the first label of the registrable domain of a host in lower case: `example` for `www.example.org` and for
/// `example.co.uk`. A public suffix is returned unchanged.
pub(super) fn registrable_label(host: &str) -> &str {
    match psl::domain_str(host).and_then(|domain| domain.split_once('.')) {
        Some((label, _)) => label,
        None => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_is_public_where_anybody_can_register_below_it() {
        for (host, label) in [
            ("example.org", "example"),
            ("a.www.example.org", "example"),
            ("www.example.co.uk", "example"),
            ("me.github.io", "me"),
            ("a.x.np", "a"),
            ("me.com", "me"),
            ("www.web.de", "web"),
            ("de.localhost", "de"),
            ("org", "org"),
            ("localhost", "localhost"),
            ("co.uk", "co.uk"),
            ("x.np", "x.np"),
            ("github.io", "github.io"),
        ] {
            assert_eq!(registrable_label(host), label, "{host}");
            assert_eq!(is_public_suffix(host), host == label, "{host}");
        }
    }
}
