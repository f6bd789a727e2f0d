//! Header and footer of a page. Both are inlined as shadow roots, so that they are visible before scripts run and cause
//! no layout shift. A fragment that cannot be inlined is passed on as text, and the scripts insert it
//! (`web/src/shell/fragment.tsx`).

use std::sync::Arc;

use serde_json::{Value, json};

use super::branding::digest;

/// The default styles of an inlined fragment. `--room` is zero, because only a fragment that scripts insert later needs
/// reserved space.
pub const STYLE: &str = concat!(
    include_str!("../../../web/src/shell/fragment-inside.css"),
    ":host{--room:0px}"
);

/// The maximum number of style elements of one fragment. Each style element adds a digest to the policy header.
const MAX_STYLES: usize = 8;

pub(crate) struct PageFragments {
    parts: [Option<Arc<str>>; 2],
    roots: [Option<ShadowRoot>; 2],
}

struct ShadowRoot {
    html: String,
    /// The source expressions that allow the style elements.
    digests: Vec<String>,
}

impl PageFragments {
    /// Makes shadow roots of the sanitised header and footer. `None` means that a fragment is not cached.
    pub(crate) fn new(parts: [Option<Arc<str>>; 2]) -> PageFragments {
        let roots = parts.each_ref().map(|part| shadow_root(part.as_deref()?));
        PageFragments { parts, roots }
    }

    /// Returns the HTML inside the fragment's element, which is empty if the scripts have to insert the fragment.
    /// Returns `None` unless `part` is `header` or `footer`.
    pub(crate) fn html_for(&self, part: &str) -> Option<&str> {
        let root = match part {
            "header" => &self.roots[0],
            "footer" => &self.roots[1],
            _ => return None,
        };
        Some(root.as_ref().map_or("", |root| &root.html))
    }

    /// Returns the digests that the policy of the page needs in `style-src`.
    pub(crate) fn digests(&self) -> impl Iterator<Item = &str> {
        let roots = self.roots.iter().flatten();
        roots.flat_map(|root| root.digests.iter().map(String::as_str))
    }

    /// Returns the fragments that the scripts have to insert: those without a shadow root, or both if the page has no
    /// prerendered screen.
    pub(crate) fn not_inlined(&self, is_prerendered: bool) -> Value {
        let not_inlined = |at: usize| {
            let is_inlined = is_prerendered && self.roots[at].is_some();
            self.parts[at].as_deref().filter(|_| !is_inlined)
        };
        json!({"header": not_inlined(0), "footer": not_inlined(1)})
    }
}

/// Returns a declarative shadow root (HTML Standard, `shadowrootmode` of "The template element"). Only `</template>`
/// could end the root early, and sanitised fragments do not contain this tag.
fn shadow_root(part: &str) -> Option<ShadowRoot> {
    let digests = style_digests(part)?;
    let html = format!("<template shadowrootmode=\"open\"><style>{STYLE}</style>{part}</template>");
    Some(ShadowRoot { html, digests })
}

/// Returns the digests of a fragment's style elements. Returns `None` if there are too many style elements, or if one
/// imports a style sheet, because the policy would block the import.
fn style_digests(part: &str) -> Option<Vec<String>> {
    let styles: Vec<&str> = part
        .split("<style")
        .skip(1)
        .filter_map(|rest| rest.split_once('>')?.1.split("</style").next())
        .collect();
    let are_allowed =
        styles.len() <= MAX_STYLES && !styles.iter().any(|style| style.contains("@import"));
    are_allowed.then(|| styles.into_iter().map(digest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header(header: &str) -> PageFragments {
        PageFragments::new([Some(header.into()), None])
    }

    #[test]
    fn a_fragment_becomes_a_shadow_root_with_only_allowed_styles() {
        let header = "<header><style class=\"x\">a{color:red}</style>Hello</header>";
        let shown = with_header(header);
        let inside = shown.html_for("header").unwrap();
        assert!(inside.starts_with("<template shadowrootmode=\"open\"><style>"));
        assert!(inside.ends_with(&format!("{header}</template>")));
        let known: Vec<&str> = shown.digests().collect();
        assert_eq!(known, [digest("a{color:red}")]);
        assert_eq!(shown.html_for("footer"), Some(""));
        assert_eq!(shown.html_for("aside"), None);
        assert_eq!(
            shown.not_inlined(true),
            json!({"header": null, "footer": null})
        );
        assert_eq!(
            shown.not_inlined(false),
            json!({"header": header, "footer": null})
        );
    }

    #[test]
    fn a_part_with_too_many_styles_is_not_inlined() {
        let many = "<style>a{}</style>".repeat(MAX_STYLES + 1);
        for part in [&*many, "<style>@import \"/x.css\";</style>"] {
            let shown = with_header(part);
            assert_eq!(shown.html_for("header"), Some(""));
            assert_eq!(shown.digests().count(), 0);
            assert_eq!(
                shown.not_inlined(true),
                json!({"header": part, "footer": null})
            );
        }
    }
}
