//! A name for a browser, derived from its User-Agent. It consists of fixed phrases, so that no text of a stranger
//! reaches a mail or a screen.

const BROWSERS: [(&str, &str); 7] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
];

/// Returns a name such as `Firefox · Windows`. The separator needs no translation.
pub(crate) fn name(user_agent: &str) -> String {
    let find = |table: &[(&str, &'static str)]| {
        table
            .iter()
            .find(|(mark, _)| user_agent.contains(mark))
            .map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} · {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "Browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_distinguished_and_unknown_agents_not_repeated() {
        let edge =
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150 Safari/537.36 Edg/150";
        assert_eq!(name(edge), "Edge · Windows");
        assert_eq!(
            name("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1"),
            "Safari · iPhone"
        );
        assert_eq!(name("<b>call me</b> https://evil.example"), "Browser");
    }
}
