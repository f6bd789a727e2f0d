//! The template of all pages: the built `index.html`, into which the content of a page is inserted.

use std::sync::LazyLock;

use super::branding;
use super::files::embedded_text;
use super::screens::Screen;
use super::texts::escape_html;
use crate::i18n::Language;

/// The built `index.html`, with markers at which content is inserted.
pub(crate) struct Template {
    html: String,
}

/// The HTML document if the front end was not built, so that `cargo test` does not require a build of the front end.
const FALLBACK_DOCUMENT: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\" />\
    <title>Account</title><meta name=\"description\" content=\"\" /><!--head--></head>\
    <body><noscript><!--no-script--></noscript>\
    <p>The front end is not built. Run <code>make build</code>.</p><!--boot--></body></html>";

/// The only inline script of the page.
///
/// The script moves the token of a mailed link from the URL to `history.state`, which a reload keeps. The script loads
/// the scripts of the screen when the prerendered screen is painted, or after a second, and shows an error if the
/// second attempt to load them fails. Until the screen is mounted, the script records button presses and the submitted
/// form, which `forms/early.ts` of the front end replays. `web/src/early/` is the source of the script, which is empty
/// if the front end was not built.
static EARLY_SCRIPT: LazyLock<String> =
    LazyLock::new(|| embedded_text("screens/early.js").unwrap_or_default());

/// Returns the source expression that allows the early script by the digest of its text (CSP 3, section 2.3.1).
pub(crate) fn early_script_digest() -> String {
    branding::digest(&EARLY_SCRIPT)
}

pub(super) struct PageContent<'a> {
    pub language: Language,
    pub title: &'a str,
    pub description: &'a str,
    pub is_indexed: bool,
    /// The text for a browser without scripts.
    pub no_script: &'a str,
    pub screen: Option<Screen>,
    /// The boot data as JSON, which `web/src/boot.ts` reads.
    pub boot: &'a str,
}

impl Template {
    pub(crate) fn load() -> Template {
        let html = embedded_text("index.html").unwrap_or_else(|| FALLBACK_DOCUMENT.to_owned());
        Template { html }
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
        // The scripts of the screen come last, because the browser first needs the scripts of all pages.
        let files = format!("{files}</head>");
        let root = format!("<div id=\"root\">{body}</div>");
        let boot = boot_script(content.boot);
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

/// Returns the script element with the boot data. Only the character `<` could end the element.
pub(super) fn boot_script(json: &str) -> String {
    let json = json.replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"boot\">{json}</script>")
}

/// Replaces each marker once and in the given order, so that inserted content is never mistaken for a marker.
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
