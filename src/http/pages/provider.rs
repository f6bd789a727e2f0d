//! The external fragment service. Fragments are requested by `GET {url}/header?domain={host}`, for configured hosts
//! only.

use std::sync::Arc;

use url::Url;

use super::upstream::Upstream;
use crate::clock::Clock;
use crate::config;
use crate::named_enum::named_enum;

named_enum! {
    pub(crate) enum FragmentKind {
        Header = "header";
        Footer = "footer";
    }
}

pub(crate) struct FragmentProvider {
    base: Url,
    upstream: Arc<Upstream>,
}

impl FragmentProvider {
    pub(crate) fn new(
        url: &config::ServiceAddress,
        settings: &config::Fragments,
    ) -> Result<FragmentProvider, String> {
        let clean = |html: &str| Ok(sanitise(html));
        let (timeout, most, ttl) = (settings.timeout, settings.max_bytes.0, settings.ttl);
        Ok(FragmentProvider {
            base: Url::parse(&url.base_url(""))
                .map_err(|error| format!("fragments.url: {error}"))?,
            upstream: Arc::new(Upstream::new("fragments", timeout, most, ttl, clean)?),
        })
    }

    /// Returns the sanitised fragment for a configured host, or `None` if the service has returned no usable fragment.
    pub(crate) async fn get(
        &self,
        kind: FragmentKind,
        host: &str,
        clock: &Clock,
    ) -> Option<Arc<str>> {
        let address = fragment_url(&self.base, kind, host)?;
        self.upstream.get(address, clock).await
    }

    /// Returns the fragment if it is cached, without waiting for the service.
    pub(crate) fn cached(&self, part: FragmentKind, host: &str, clock: &Clock) -> Option<Arc<str>> {
        let address = fragment_url(&self.base, part, host)?;
        self.upstream.cached_text(address, clock)
    }
}

fn fragment_url(base: &Url, part: FragmentKind, host: &str) -> Option<Url> {
    let mut url = base.clone();
    // `path_segments_mut` never fails for an http or https URL.
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .push(part.as_str());
    url.query_pairs_mut().append_pair("domain", host);
    Some(url)
}

/// Sanitises the HTML of a header or footer: keeps structure, links, pictures and styles, but no scripts, frames and
/// forms. Also removes svg and math, because browsers and ammonia parse them differently.
pub(crate) fn sanitise(html: &str) -> String {
    ammonia::Builder::default()
        .rm_clean_content_tags(["style"])
        .add_tags(["style", "button", "main", "section"])
        .add_generic_attributes([
            "class",
            "id",
            "role",
            "aria-label",
            "aria-hidden",
            "aria-current",
        ])
        .add_tag_attributes("a", ["target"])
        .add_tag_attributes("img", ["loading", "srcset", "sizes"])
        .url_schemes(["http", "https", "mailto"].into())
        // Ammonia restricts the URLs in `src` and `href` to `url_schemes`, but not the URLs in `srcset`.
        .attribute_filter(|_, attribute, value| {
            (attribute != "srcset" || has_only_http_urls(value)).then(|| value.into())
        })
        .link_rel(Some("noopener noreferrer"))
        .strip_comments(true)
        .clean(html)
        .to_string()
}

/// Returns whether the URL of each image in a `srcset` (HTML Standard, "Srcset attributes") is relative, http or https.
fn has_only_http_urls(srcset: &str) -> bool {
    srcset.split(',').all(|candidate| {
        let address = candidate.split_ascii_whitespace().next();
        match Url::parse(address.unwrap_or_default()) {
            Ok(url) => matches!(url.scheme(), "http" | "https"),
            Err(error) => error == url::ParseError::RelativeUrlWithoutBase,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{FragmentKind, Url, fragment_url, sanitise};

    #[test]
    fn images_have_web_addresses_in_every_attribute() {
        for kept in ["/a.png 1x, https://cdn.example/b.png 2x", "a.png"] {
            let clean = sanitise(&format!("<img srcset=\"{kept}\">"));
            assert!(clean.contains(kept), "{clean}");
        }
        for dropped in [
            "javascript:alert(1)",
            "/a.png 1x, data:image/svg+xml;base64,AAAA 2x",
            "file:///etc/passwd",
        ] {
            let clean = sanitise(&format!("<img srcset=\"{dropped}\">"));
            assert_eq!(clean, "<img>", "{dropped}");
        }
    }

    #[test]
    fn a_host_is_percent_encoded_as_one_query_value() {
        let base = Url::parse("https://parts.example/v1/").unwrap();
        assert_eq!(
            fragment_url(&base, FragmentKind::Header, "a&b=c/../?d#e")
                .unwrap()
                .as_str(),
            "https://parts.example/v1/header?domain=a%26b%3Dc%2F..%2F%3Fd%23e"
        );
    }

    #[test]
    fn active_content_is_removed_and_markup_kept() {
        let clean = sanitise(
            "<header class=\"top\"><style>a{color:red}</style><script>alert(1)</script>\
             <a href=\"javascript:alert(1)\" onclick=\"x()\">A</a><a href=\"/episodes\">B</a>\
             <svg onload=x><style><img src=x onerror=alert(1)></style></svg><iframe src=//x></iframe>\
             <form action=//x><input></form><math><mtext></mtext></math></header>",
        );
        for gone in [
            "script", "onclick", "javascript", "svg", "iframe", "form", "math", "onerror=alert(1)>",
        ] {
            assert!(!clean.contains(gone), "{gone} in {clean}");
        }
        assert!(
            clean.contains("<header class=\"top\"><style>a{color:red}</style>"),
            "{clean}"
        );
        assert!(
            clean.contains("<a href=\"/episodes\" rel=\"noopener noreferrer\">B</a>"),
            "{clean}"
        );
    }
}
