//! Prerendered screens, so that a screen is visible before its scripts have loaded.
//!
//! A prerendered screen contains placeholders instead of texts and settings, because they depend on the HTTP request.
//! `web/build/prerender.ts` renders the screens, and docs/decisions/prerendering.md has the reasons.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::files::decompress;
use super::page_fragments::PageFragments;
use super::table::Page;
use super::texts::{escape_html, find_text};
use crate::i18n::Language;

/// The syntax of a placeholder is `START key (SEPARATOR name SEPARATOR value)* END`, where a value may contain
/// placeholders and elements. A key with `=` is a path in the configuration of the screens, a key with `#` is the
/// header or the footer, and any key without these is a message key. `web/src/prerender.tsx` writes the placeholders,
/// whose delimiters are from Unicode's private use area.
const PLACEHOLDER_START: char = '\u{e000}';
const PLACEHOLDER_SEPARATOR: char = '\u{e001}';
const PLACEHOLDER_END: char = '\u{e002}';

/// The comment that separates the head from the body in a prerendered screen.
const BODY_SEPARATOR: &str = "<!--body-->";

/// Links that a region may omit, each with the name suffix of the screen's variant without the link.
const OPTIONAL_LINKS: [(&str, &str); 2] = [
    ("region.links.terms", ".no-terms"),
    ("region.links.privacy", ".no-privacy"),
];

/// The prerendered screens by name, variant and language. One compressed file contains all screens, because they are
/// similar and compress well together. The first request for a page decompresses the file. The map is empty if the
/// front end was not built.
static TEMPLATES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    decompress("screens.json.gz")
        .map(|file| serde_json::from_slice(&file.data).expect("the build wrote it"))
        .unwrap_or_default()
});

pub(crate) struct Screen {
    /// The tags of the scripts that only this screen needs.
    pub head: String,
    pub body: String,
}

pub(crate) struct RenderContext<'a> {
    /// The page, or `None` for a URL without a screen.
    pub page: Option<&'a Page>,
    pub query: &'a str,
    /// Whether the HTTP request has a session cookie.
    pub session: bool,
    pub language: Language,
    /// The catalogue of texts that the page contains.
    pub messages: &'a Value,
    /// The configuration of the screens (`ClientConfig`) that the page contains.
    pub config: &'a Value,
    pub page_fragments: &'a PageFragments,
}

/// Renders the screen. Returns `None` if the screen was not prerendered, or if one of its texts or settings is missing.
/// If the result is `None`, the scripts render the screen later.
pub(crate) fn render(context: &RenderContext) -> Option<Screen> {
    let (head, body) = find_template(context)?.split_once(BODY_SEPARATOR)?;
    Some(Screen {
        head: head.to_owned(),
        body: interpolate(body, context)?,
    })
}

fn find_template(context: &RenderContext) -> Option<&'static String> {
    let name = screen_name(context);
    let language = context.language.code();
    let found = |without: &str| TEMPLATES.get(&format!("{name}{without}.{language}"));
    let without: String = OPTIONAL_LINKS
        .iter()
        .filter(|(path, _)| setting_at(context.config, path).is_none_or(Value::is_null))
        .map(|(_, name)| *name)
        .collect();
    // Most screens have no links that a region may omit, and therefore only one variant.
    found(&without).or_else(|| found(""))
}

/// Returns the name of the prerendered template, which names the screen and the state in which it opens.
fn screen_name(context: &RenderContext) -> String {
    let Some(page) = context.page else {
        return "not-found".to_owned();
    };
    let mut name = page.name.to_owned();
    if page.redirects_signed_in {
        let text_at = |path| setting_at(context.config, path).and_then(Value::as_str);
        let is_continued = text_at("signing_in_to").is_some();
        let is_for_own_page = text_at("signed_in_home") != Some("/");
        name.push_str(match context.session {
            true => ".session",
            false if is_continued => ".continue",
            false if is_for_own_page => ".own-page",
            false => "",
        });
    }
    // The first value of a query parameter counts, as with `URLSearchParams.get`. An empty value counts as absent.
    let is_given = |token: &&str| {
        url::form_urlencoded::parse(context.query.as_bytes())
            .find(|(key, _)| key == token)
            .is_some_and(|(_, value)| !value.is_empty())
    };
    if let Some(token) = page.tokens.iter().copied().find(is_given) {
        name.push('.');
        name.push_str(token);
        let form = setting_at(context.config, "region.migration_form").and_then(Value::as_str);
        if let Some(form) = form.filter(|form| page.forms.contains(form)) {
            name.push('.');
            name.push_str(form);
        }
    }
    name
}

/// Replaces the placeholders with texts and settings. Returns `None` if a text or setting is missing.
fn interpolate(template: &str, context: &RenderContext) -> Option<String> {
    let mut interpolator = Interpolator {
        rest: template,
        context,
    };
    let mut filled = String::with_capacity(template.len());
    interpolator.fill_text(&mut filled)?;
    interpolator.rest.is_empty().then_some(filled)
}

struct Interpolator<'a> {
    rest: &'a str,
    context: &'a RenderContext<'a>,
}

impl<'a> Interpolator<'a> {
    /// Replaces the placeholders of a page, or of a placeholder's value, which can contain further placeholders.
    fn fill_text(&mut self, out: &mut String) -> Option<()> {
        loop {
            out.push_str(self.take_plain_text());
            if !self.take_delimiter(PLACEHOLDER_START) {
                return Some(());
            }
            self.fill_placeholder(out)?;
        }
    }

    fn fill_placeholder(&mut self, out: &mut String) -> Option<()> {
        let key = self.take_plain_text();
        let mut values = Vec::new();
        while self.take_delimiter(PLACEHOLDER_SEPARATOR) {
            let name = self.take_plain_text();
            let mut value = String::new();
            self.take_delimiter(PLACEHOLDER_SEPARATOR).then_some(())?;
            self.fill_text(&mut value)?;
            values.push((name, value));
        }
        self.take_delimiter(PLACEHOLDER_END).then_some(())?;
        if let Some(path) = key.strip_prefix('=') {
            out.push_str(&setting_text(self.context.config, path)?);
        } else if let Some(part) = key.strip_prefix('#') {
            out.push_str(self.context.page_fragments.html_for(part)?);
        } else {
            format_sentence(find_text(self.context.messages, key)?, &values, out)?;
        }
        Some(())
    }

    fn take_plain_text(&mut self) -> &'a str {
        let end = self
            .rest
            .find([PLACEHOLDER_START, PLACEHOLDER_SEPARATOR, PLACEHOLDER_END]);
        let (plain, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        plain
    }

    fn take_delimiter(&mut self, delimiter: char) -> bool {
        let rest = self.rest.strip_prefix(delimiter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// Replaces the `{{name}}` placeholders of a sentence, as `web/src/i18n/texts.ts` does in the browser. The values are
/// HTML.
fn format_sentence(sentence: &str, values: &[(&str, String)], out: &mut String) -> Option<()> {
    // In a sentence, `$t(` would insert another text, but no text of this site uses this i18next feature.
    if sentence.contains("$t(") {
        return None;
    }
    let mut rest = sentence;
    while let Some((before, tail)) = rest.split_once("{{") {
        let (name, after) = tail.split_once("}}")?;
        let (_, value) = values.iter().find(|(key, _)| *key == name.trim())?;
        out.push_str(&escape_html(before));
        out.push_str(value);
        rest = after;
    }
    out.push_str(&escape_html(rest));
    Some(())
}

fn setting_text(config: &Value, path: &str) -> Option<String> {
    match setting_at(config, path)? {
        Value::String(text) => Some(escape_html(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn setting_at<'a>(config: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .try_fold(config, |value, part| value.get(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str) -> Option<String> {
        let template = template
            .replace('[', &PLACEHOLDER_START.to_string())
            .replace('|', &PLACEHOLDER_SEPARATOR.to_string())
            .replace(']', &PLACEHOLDER_END.to_string());
        let messages = json!({"a": {
            "plain": "Tom & <Jerry>",
            "sentence": "{{ second }}, then {{first}}.",
            "nested": "see $t(a.plain)",
        }});
        let config = json!({"age": 17, "link": "/x?\"a\"&b", "none": null});
        let context = RenderContext {
            page: None,
            query: "",
            session: false,
            language: Language::En,
            messages: &messages,
            config: &config,
            page_fragments: &PageFragments::new([Some("<b>Hello</b>".into()), None]),
        };
        interpolate(&template, &context)
    }

    #[test]
    fn marks_are_replaced_with_escaped_texts_and_settings() {
        assert_eq!(
            filled("<p title=\"[a.plain]\">[a.plain]</p>").as_deref(),
            Some("<p title=\"Tom &amp; &lt;Jerry&gt;\">Tom &amp; &lt;Jerry&gt;</p>")
        );
        assert_eq!(
            filled("<a href=\"[=link]\">[=age]</a>").as_deref(),
            Some("<a href=\"/x?&quot;a&quot;&amp;b\">17</a>")
        );
    }

    #[test]
    fn header_and_footer_are_inserted_as_html() {
        let filled = filled("<div>[#header]</div><div>[#footer]</div>").unwrap();
        assert!(
            filled.ends_with("<b>Hello</b></template></div><div></div>"),
            "{filled}"
        );
    }

    #[test]
    fn elements_are_placed_by_the_sentence() {
        assert_eq!(
            filled("[a.sentence|first|<b>[a.plain]</b>|second|[=age]]").as_deref(),
            Some("17, then <b>Tom &amp; &lt;Jerry&gt;</b>.")
        );
    }

    #[test]
    fn a_missing_or_malformed_mark_renders_nothing() {
        for template in [
            "[a.missing]", "[=none]", "[=missing.deep]", "[#aside]", "[a.nested]",
            "[a.sentence|first|x]", "[a.plain", "a]b", "a|b", "[a.sentence|first]",
        ] {
            assert_eq!(filled(template), None, "{template}");
        }
    }
}
