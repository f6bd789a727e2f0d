//! Generates the list `PAGES` from the table of screens.

use std::fs;

use serde_json::Value;

use crate::locales::TextsByKey;

/// The table of screens, which the front end documents (`web/src/screens.ts`).
pub(crate) const SCREENS: &str = "web/screens.json";

/// Returns the Rust source of the list `PAGES`, which contains all screens with a URL.
pub(crate) fn generate_pages(texts: &TextsByKey) -> Result<String, String> {
    let table = fs::read_to_string(SCREENS).map_err(|error| error.to_string())?;
    let table: Vec<Value> = serde_json::from_str(&table).map_err(|error| error.to_string())?;
    let mut pages = Vec::new();
    for screen in &table {
        let field = |name: &str| screen.get(name).and_then(Value::as_str);
        let (Some(name), Some(title)) = (field("name"), field("title")) else {
            return Err(format!("{screen} has no name or no title"));
        };
        let description = field("description");
        if let Some(key) = [Some(title), description]
            .into_iter()
            .flatten()
            .find(|key| !texts.contains_key(*key))
        {
            return Err(format!("{name}: there is no text {key}"));
        }
        let Some(path) = field("path") else {
            continue;
        };
        let path = format!("/account{path}");
        let flag = |name: &str| screen.get(name).and_then(Value::as_bool).unwrap_or(false);
        pages.push(format!(
            "Page {{ name: {name:?}, path: {path:?}, title: {title:?}, description: {description:?}, \
             tokens: &{:?}, forms: &{:?}, redirects_signed_in: {}, requires_session: {}, shows_countries: {} }},\n",
            string_list(screen, "tokens"),
            string_list(screen, "forms"),
            flag("session"),
            flag("signedIn"),
            flag("countries"),
        ));
    }
    Ok(format!(
        "pub const PAGES: [Page; {}] = [\n{}];\n",
        pages.len(),
        pages.concat()
    ))
}

/// Returns the strings of a list in the entry of a screen. A missing list is empty.
fn string_list<'a>(screen: &'a Value, list: &str) -> Vec<&'a str> {
    let list = screen.get(list).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
