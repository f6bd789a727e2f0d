//! The branding of a region: the inline styles for its colours and landscape, and what the Content-Security-Policy must
//! permit for the settings of the region.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::config::{Accent, Landscape};
use crate::http::prelude::*;
use crate::rng::Rng;

/// The branding of the pages of one region.
pub(crate) struct Branding {
    /// The style element, which is empty if the region has the default branding.
    style: String,
    policy: String,
    has_consent: bool,
}

/// Returns the branding of each region by its id. `policy` is the Content-Security-Policy of a page without branding.
pub(crate) fn by_region(
    config: &Config,
    policy: &HeaderValue,
) -> Result<HashMap<String, Branding>, String> {
    let policy = policy.to_str().map_err(|error| error.to_string())?;
    let all = config
        .regions
        .iter()
        .map(|region| (region.id.clone(), for_region(config, region, policy)));
    Ok(all.collect())
}

fn for_region(config: &Config, region: &Region, policy: &str) -> Branding {
    let mut rules = style_rules(region);
    if !config.has_passkeys_in(region) {
        rules.push_str(HIDE_PASSKEYS);
    }
    let mut policy = policy.to_owned();
    let mut style = String::new();
    if !rules.is_empty() {
        style = format!("<style>{rules}</style>");
        policy = add_source(&policy, "style-src", &digest(&rules));
    }
    if let Some(origin) = logo_origin(region) {
        policy = add_source(&policy, "img-src", &origin);
    }
    if let Some(origin) = region.avatar_images.as_deref().and_then(origin_of) {
        policy = add_source(&policy, "img-src", &origin);
    }
    if let Some(consent) = &region.consent {
        for url in [&consent.script_url, &consent.boot_url] {
            let Some(origin) = origin_of(url) else {
                continue;
            };
            for directive in CONSENT_SOURCES {
                policy = add_source(&policy, directive, &origin);
            }
        }
    }
    Branding {
        style,
        policy,
        has_consent: region.consent.is_some(),
    }
}

/// The directives that a consent manager needs to run scripts, to fetch texts from its host and to show a dialog.
const CONSENT_SOURCES: [&str; 6] = [
    "script-src", "connect-src", "img-src", "style-src", "font-src", "frame-src",
];

/// The CSS rule that hides the prerendered passkey button on a site without passkeys, so that the layout does not shift
/// when the scripts remove it.
const HIDE_PASSKEYS: &str = "[data-passkeys]{display:none}";

impl Branding {
    /// Inserts the branding into a finished page. Returns the Content-Security-Policy and the page. The policy allows
    /// the inline styles by digest, and the scripts of a consent manager by a nonce.
    pub(super) fn insert_into_page<'a>(
        &self,
        rng: &Rng,
        request: &HeaderMap,
        html: &str,
        styles: impl Iterator<Item = &'a str>,
    ) -> (String, String) {
        let mut head = self.style.clone();
        let mut policy = self.policy.clone();
        for digest in styles {
            policy = add_source(&policy, "style-src", digest);
        }
        if self.has_consent {
            let nonce = STANDARD.encode(rng.bytes::<18>());
            policy = add_source(&policy, "script-src", &format!("'nonce-{nonce}'"));
            // The header and the JavaScript property are equivalent (Global Privacy Control, section 3), but an
            // extension may send only the header.
            let gpc = request.get("sec-gpc").is_some_and(|value| value == "1");
            let gpc = if gpc { " data-gpc" } else { "" };
            head.push_str(&format!(
                "<meta property=\"csp-nonce\" nonce=\"{nonce}\"{gpc} />"
            ));
        }
        // All inserted text is escaped, so the first `</head>` is the end of the head element.
        let html = html.replacen("</head>", &format!("{head}</head>"), 1);
        (policy, html)
    }
}

/// Returns the CSS rules that differ from `web/src/styles/tokens.css` and the landscape of `web/index.html`. The rules
/// override both files, because the rules are in no cascade layer.
pub(crate) fn style_rules(region: &Region) -> String {
    let mut rules = String::new();
    let accent = region.accent;
    if accent != Accent::default() {
        rules.push_str(&format!(
            ":root{{--accent:{accent};--accent-deep:{};--on-accent:{};--link:{}}}",
            accent.dark_shade(),
            accent.text_colour(),
            accent.link_colour()
        ));
    }
    match region.landscape {
        Landscape::Hills => {}
        Landscape::Sky => rules.push_str(".landscape .hills{display:none}"),
        Landscape::None => rules.push_str(".landscape,.moon{display:none}"),
    }
    rules
}

/// Returns the source expression that allows an inline element by the digest of its text (CSP 3, section 2.3.1).
pub fn digest(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Returns the origin of the region's logo, or `None` if the logo is on this site.
pub(crate) fn logo_origin(region: &Region) -> Option<String> {
    region.logo.as_deref().and_then(origin_of)
}

/// Returns the origin of an absolute URL, or `None` for a path.
fn origin_of(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    Some(url.origin().ascii_serialization())
}

/// Adds a source expression to a directive of a policy. Adds the directive if it is missing.
fn add_source(policy: &str, directive: &str, source: &str) -> String {
    let mut has_directive = false;
    let mut directives: Vec<String> = policy
        .split("; ")
        .map(|found| match found.split_once(' ') {
            Some((name, sources)) if name == directive => {
                has_directive = true;
                match sources.split(' ').any(|known| known == source) {
                    true => found.to_owned(),
                    false => format!("{found} {source}"),
                }
            }
            _ => found.to_owned(),
        })
        .collect();
    if !has_directive {
        directives.push(format!("{directive} {source}"));
    }
    directives.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_added_once_and_to_its_directive_alone() {
        let policy = "default-src 'none'; script-src 'self'; style-src 'self'";
        let policy = add_source(policy, "script-src", "https://a.example");
        let policy = add_source(&policy, "script-src", "https://a.example");
        let policy = add_source(&policy, "frame-src", "https://a.example");
        assert_eq!(
            policy,
            "default-src 'none'; script-src 'self' https://a.example; style-src 'self'; \
             frame-src https://a.example"
        );
    }

    #[test]
    fn the_default_branding_needs_no_style() {
        assert_eq!(style_rules(&Region::default()), "");
        let region = Region {
            accent: "#c2185b".parse().unwrap(),
            landscape: Landscape::Sky,
            ..Region::default()
        };
        assert!(style_rules(&region).starts_with(":root{--accent:#c2185b;--accent-deep:#"));
        assert!(style_rules(&region).ends_with("}.landscape .hills{display:none}"));
    }
}
