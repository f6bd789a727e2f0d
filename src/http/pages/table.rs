//! The table of all pages, which build/pages.rs generates from `web/screens.json`.

/// A screen: a row of `web/screens.json`.
pub struct Page {
    /// The name of the screen's prerendered files.
    pub name: &'static str,
    pub path: &'static str,
    /// The message key of the screen's title.
    pub(super) title: &'static str,
    /// The message key of the description for search engines. `None` excludes the page from search engines, because its
    /// URL carries a token or the page is not useful as a first page.
    pub(super) description: Option<&'static str>,
    /// Query parameters that select another variant of the screen, in order of precedence.
    pub tokens: &'static [&'static str],
    /// Values of `region.migration_form` for which the screen has a separate variant.
    pub forms: &'static [&'static str],
    /// Whether the screen checks for a session before it shows its form.
    pub redirects_signed_in: bool,
    /// Whether a visit without a session is redirected to the sign-in page.
    pub requires_session: bool,
    /// Whether the screen has a list of countries.
    pub(super) shows_countries: bool,
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
