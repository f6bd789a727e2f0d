//! Placeholder pages: a small page for each link of the site, in the visitor's language and the region's branding,
//! until the operator serves a real page, for example by a proxy that routes the path to another site. The error page
//! for an unknown application has the same design.

use askama::Template;

use super::texts::text;
use super::{branding, files, fragments, html_page, page};
use crate::http::extract::client;
use crate::http::prelude::*;

#[derive(Template)]
#[template(path = "placeholder.html")]
struct PlaceholderPage<'a> {
    language: &'static str,
    brand: &'a str,
    title: &'a str,
    words: &'a str,
    continue_label: &'a str,
    /// The CSS of the page. The template does not escape `style`, `header` and `footer`.
    style: &'a str,
    header: &'a str,
    footer: &'a str,
}

const STYLE: &str = include_str!("../../../templates/placeholder.css");

/// The fallback route, which returns the placeholder for a path that a region links to, and 404 for any other path.
pub(crate) async fn page_or_not_found(State(app): State<SharedApp>, parts: Parts) -> Response {
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    let Some(key) = link_name(&app.config, parts.uri.path()).filter(|_| is_read) else {
        return files::not_found();
    };
    let client = client::client_of(&parts, &app);
    let language = page::page_language(&app, &parts, &client, None);
    let (title, words) = title_and_text(key, language);
    plain_page(&app, &client, language, title, words)
}

/// Returns a page that needs no script, in the branding of the host.
pub(crate) fn plain_page(
    app: &App,
    client: &Client,
    language: Language,
    title: &str,
    words: &str,
) -> Response {
    let region = app.config.region_by_id(&client.region);
    let style = format!("{STYLE}{}", branding::style_rules(region));
    let page = PlaceholderPage {
        language: language.code(),
        brand: &region.brand,
        title,
        words,
        continue_label: Message::PlaceholderWayOn.text(language),
        style: &style,
        header: &fragments::built_in_header(region, language),
        footer: &fragments::built_in_footer(region, language),
    };
    let policy = format!(
        "default-src 'none'; style-src {}; img-src 'self' {}; base-uri 'none'; object-src 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        branding::digest(&style),
        branding::logo_origin(region).unwrap_or_default()
    );
    let vary = "accept-language, cookie, host";
    let page = html_page(
        page.to_string(),
        policy,
        "private, no-cache",
        vary,
        "same-origin",
    );
    ([("x-robots-tag", "noindex")], page).into_response()
}

/// Returns the name of the site link that leads to a path. All regions are searched, because a page in another tab may
/// belong to another region.
fn link_name(config: &Config, path: &str) -> Option<&'static str> {
    let mut links = config.regions.iter().flat_map(|r| r.links.with_names());
    let (key, _) = links.find(|(_, link)| *link == Some(path))?;
    Some(key)
}

fn title_and_text(key: &str, language: Language) -> (&'static str, &'static str) {
    let (title, words) = match key {
        "terms" => ("common.terms_of_use", Message::PlaceholderTerms),
        "privacy" => ("common.privacy_policy", Message::PlaceholderPrivacy),
        "contact" => ("shell.contact", Message::PlaceholderContact),
        "avatar_creator" => ("shell.avatar_creator", Message::PlaceholderAvatarCreator),
        "episodes" => ("shell.episodes", Message::PlaceholderEpisodes),
        _ => ("shell.random_episode", Message::PlaceholderRandomEpisode),
    };
    (text(language, title), words.text(language))
}
