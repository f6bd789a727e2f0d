//! The built `index.html`, filled with the content of a page.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::files::Dist;
use super::screens::Screen;
use super::texts::escape_html;
use crate::i18n::Language;

/// The built `index.html`, with markers where content is inserted.
pub(crate) struct Template {
    html: String,
}

/// Used if the front end was not built, so that `cargo test` needs only cargo.
const PLACEHOLDER: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\" />\
    <title>Account</title><meta name=\"description\" content=\"\" /><!--head--></head>\
    <body><noscript><!--no-script--></noscript>\
    <p>The front end is not built. Run <code>make build</code>.</p><!--boot--></body></html>";

/// The only inline script of the page.
///
/// It moves the token of a mailed link from the address bar to the entry of the session history, where
/// a reload finds it. It loads the screen's scripts once the prerendered screen is painted, or after a
/// second; if the second attempt to load them fails, it shows an error above the screen. It records
/// button presses and the submitted form until the screen is mounted; `forms/early.ts` of the front end
/// replays them. `web/src/early/` is its source. Empty if the front end was not built.
static EARLY_SCRIPT: LazyLock<String> = LazyLock::new(|| {
    Dist::get("screens/early.js")
        .and_then(|file| String::from_utf8(file.data.into()).ok())
        .unwrap_or_default()
});

/// Returns the source expression for that script: the digest of its text (CSP 3, section 2.3.1).
pub(crate) fn early_script_digest() -> String {
    format!(
        "'sha256-{}'",
        STANDARD.encode(Sha256::digest(&*EARLY_SCRIPT))
    )
}

/// The content for the template.
pub(super) struct PageContent<'a> {
    pub language: Language,
    pub title: &'a str,
    pub description: &'a str,
    pub is_indexed: bool,
    /// The text for a browser without scripts.
    pub no_script: &'a str,
    pub screen: Option<Screen>,
    /// JSON for `web/src/boot.ts`.
    pub boot: &'a str,
}

impl Template {
    pub(crate) fn load() -> Template {
        let built =
            Dist::get("index.html").and_then(|file| String::from_utf8(file.data.into()).ok());
        Template {
            html: built.unwrap_or_else(|| PLACEHOLDER.to_owned()),
        }
    }

    pub(super) fn render(&self, content: PageContent) -> String {
        let language = format!("lang=\"{}\"", content.language.code());
        let title = format!("<title>{}</title>", escape_html(content.title));
        let description = format!(
            "name=\"description\" content=\"{}\"",
            escape_html(content.description)
        );
        let robots = match content.is_indexed {
            true => "",
            false => "<meta name=\"robots\" content=\"noindex\" />",
        };
        let (files, body) = match content.screen {
            Some(Screen { head, body }) => (head, body),
            None => (String::new(), String::new()),
        };
        let head = format!("{robots}<script>{}</script>", *EARLY_SCRIPT);
        // After the files of every page, which are needed first.
        let files = format!("{files}</head>");
        let root = format!("<div id=\"root\">{body}</div>");
        // JSON inside a script element: `<` is the only character that could end the element.
        let boot = content.boot.replace('<', "\\u003c");
        let boot = format!("<script type=\"application/json\" id=\"boot\">{boot}</script>");
        let markers = [
            ("lang=\"en\"", &language),
            ("<title>Account</title>", &title),
            ("name=\"description\" content=\"\"", &description),
            ("<!--head-->", &head),
            ("</head>", &files),
            ("<!--no-script-->", &escape_html(content.no_script)),
            ("<div id=\"root\"></div>", &root),
            ("<!--boot-->", &boot),
        ];
        replace_markers(&self.html, &markers)
    }
}

/// Replaces each marker once and in this order, so that inserted content is never mistaken for a marker.
pub(super) fn replace_markers(html: &str, markers: &[(&str, &String)]) -> String {
    let mut filled = String::with_capacity(html.len() + 32 * 1024);
    let mut rest = html;
    for (marker, content) in markers {
        if let Some((before, after)) = rest.split_once(marker) {
            filled.push_str(before);
            filled.push_str(content);
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}
