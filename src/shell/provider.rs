//! The external provider of header and footer: `GET {url}/header?domain={host}`, for hosts of the
//! configuration only.

use std::sync::Arc;

use url::Url;

use super::upstream::Upstream;
use crate::clock::Clock;
use crate::config;

/// Which part of the surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Header,
    Footer,
}

impl Part {
    fn path(self) -> &'static str {
        match self {
            Part::Header => "header",
            Part::Footer => "footer",
        }
    }
}

pub struct Provider {
    base: Url,
    upstream: Arc<Upstream>,
}

impl Provider {
    pub fn new(url: &str, settings: &config::Fragments) -> Result<Provider, String> {
        let clean = |html: &str| Ok(sanitise(html));
        let (timeout, most, ttl) = (settings.timeout, settings.max_bytes.0, settings.ttl);
        Ok(Provider {
            base: Url::parse(url).map_err(|error| format!("fragments.url: {error}"))?,
            upstream: Arc::new(Upstream::new("fragments", timeout, most, ttl, clean)?),
        })
    }

    /// The sanitised part for a configured host.
    pub async fn get(&self, part: Part, host: &str, clock: &Clock) -> Option<Arc<str>> {
        self.upstream.get(self.address(part, host)?, clock).await
    }

    /// The same as far as it is kept: nobody waits for the provider.
    pub fn at_hand(&self, part: Part, host: &str, clock: &Clock) -> Option<Arc<str>> {
        self.upstream.at_hand(self.address(part, host)?, clock)
    }

    fn address(&self, part: Part, host: &str) -> Option<Url> {
        let mut url = self.base.clone();
        // http and https addresses always have a path to add to.
        url.path_segments_mut()
            .ok()?
            .pop_if_empty()
            .push(part.path());
        url.query_pairs_mut().append_pair("domain", host);
        Some(url)
    }
}

/// Structure, links, pictures and style; nothing that runs, loads frames or sends forms. Never svg
/// or math, whose parsing differs between the two sides. Styles end up in a shadow root.
pub fn sanitise(html: &str) -> String {
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
        .link_rel(Some("noopener noreferrer"))
        .strip_comments(true)
        .clean(html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::sanitise;

    #[test]
    fn what_runs_is_gone_and_what_shows_stays() {
        let clean = sanitise(
            "<header class=\"top\"><style>a{color:red}</style><script>alert(1)</script>\
             <a href=\"javascript:alert(1)\" onclick=\"x()\">A</a><a href=\"/episodes\">B</a>\
             <svg onload=x><style><img src=x onerror=alert(1)></style></svg><iframe src=//x></iframe>\
             <form action=//x><input></form><math><mtext></mtext></math></header>",
        );
        for gone in [
            "script",
            "onclick",
            "javascript",
            "svg",
            "iframe",
            "form",
            "math",
            "onerror=alert(1)>",
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
