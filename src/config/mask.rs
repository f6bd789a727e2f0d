//! Masks credentials in URLs. All code that prints a setting or an error uses this module, which masks every value that
//! may be a credential.

pub(super) const MASK: &str = "***";

/// A query parameter is a credential if its name contains one of these words.
const SECRET_NAMES: [&str; 8] = [
    "pass", "pwd", "secret", "token", "key", "sig", "auth", "cred",
];

/// Returns a URL with masked credentials, which can be before the host and among the query parameters.
///
/// The URL parser is not used, because a PostgreSQL URL with several hosts does not follow the URL Standard, and its
/// password may contain characters that the parser refuses.
pub(super) fn mask_url(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    if scheme == "sqlite" {
        return address.to_owned();
    }
    let (rest, fragment) = match rest.rsplit_once('#') {
        // A '#' before the host does not start a fragment, because it is part of the password.
        Some((rest, fragment)) if !fragment.contains('@') => (rest, Some(fragment)),
        _ => (rest, None),
    };
    let (location, query) = split_query(rest);
    let location = match location.rsplit_once('@') {
        Some((credentials, location)) => {
            format!("{}@{location}", mask_credentials(scheme, credentials))
        }
        None => location.to_owned(),
    };
    let query = query.map_or_else(String::new, |query| format!("?{}", mask_query(query)));
    let fragment = fragment.map_or_else(String::new, |_| format!("#{MASK}"));
    format!("{scheme}://{location}{query}{fragment}")
}

/// Splits a URL at the first '?' that is not part of the password.
fn split_query(rest: &str) -> (&str, Option<&str>) {
    let Some(mark) = rest.find('?') else {
        return (rest, None);
    };
    let (before, after) = (&rest[..mark], &rest[mark + 1..]);
    let has_path = before.contains('/');
    let is_in_password = !has_path && before.contains(':') && !before.contains('@');
    match after.rfind('@') {
        Some(at) if is_in_password => {
            let (_, after_password) = after.split_at(at);
            match after_password.find('?') {
                Some(mark) => {
                    let end = before.len() + 1 + at + mark;
                    (&rest[..end], Some(&rest[end + 1..]))
                }
                None => (rest, None),
            }
        }
        _ => (before, Some(after)),
    }
}

/// Masks the credentials before the host of a URL. The name of a database role or mailbox stays visible. In the URL of
/// a web service the user name is masked too, because a user name without a password is usually a token.
fn mask_credentials(scheme: &str, credentials: &str) -> String {
    match credentials.split_once(':') {
        _ if scheme.starts_with("http") => MASK.to_owned(),
        Some((user, _)) => format!("{user}:{MASK}"),
        None => credentials.to_owned(),
    }
}

fn mask_query(query: &str) -> String {
    let parts = query.split('&').map(|part| {
        let Some((name, _)) = part.split_once('=') else {
            return part.to_owned();
        };
        let decoded = url::form_urlencoded::parse(name.as_bytes())
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect::<String>();
        match SECRET_NAMES.iter().any(|secret| decoded.contains(secret)) {
            true => format!("{name}={MASK}"),
            false => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("&")
}

/// Masks the credentials of every URL in a sentence.
pub fn mask_text(text: &str) -> String {
    if !text.contains("://") {
        return text.to_owned();
    }
    let words = text.split(' ').map(|word| match word.find("://") {
        None => word.to_owned(),
        Some(at) => {
            let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            let begin = word[..at].rfind(|c| !is_scheme(c)).map_or(0, |at| {
                at + word[at..].chars().next().map_or(1, char::len_utf8)
            });
            format!("{}{}", &word[..begin], mask_url(&word[begin..]))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_before_the_host_and_in_the_query_are_masked() {
        for (address, shown) in [
            (
                "postgres://site:s3cret@db.example/account",
                "postgres://site:***@db.example/account",
            ),
            (
                "postgres://site:s3c:r@/t@one:5432,two:5433/account?a=b@c",
                "postgres://site:***@one:5432,two:5433/account?a=b@c",
            ),
            (
                "postgres://site:s3?cret@db.example/account?sslmode=require",
                "postgres://site:***@db.example/account?sslmode=require",
            ),
            (
                "postgres://db.example/account?user=site&password=s3cret&sslmode=require",
                "postgres://db.example/account?user=site&password=***&sslmode=require",
            ),
            (
                "postgres:///account?host=/run&pass%77ord=s3cret",
                "postgres:///account?host=/run&pass%77ord=***",
            ),
            (
                "https://s3cret@parts.example/x", "https://***@parts.example/x",
            ),
            (
                "https://us:s3cret@parts.example",
                "https://***@parts.example",
            ),
            (
                "https://words.example/{environment}?Api_Key=s3cret&v=2",
                "https://words.example/{environment}?Api_Key=***&v=2",
            ),
            (
                "https://words.example/#s3cret", "https://words.example/#***",
            ),
            (
                "smtps://me:s3#cret@mail.example",
                "smtps://me:***@mail.example",
            ),
        ] {
            assert_eq!(mask_url(address), shown);
        }
        for none in [
            "sqlite://data/a@b:c.db", "smtp://mail.example:25", "smtp://me@mail.example", "nothing",
        ] {
            assert_eq!(mask_url(none), none);
        }
    }

    #[test]
    fn addresses_inside_a_sentence_are_masked() {
        assert_eq!(
            mask_text(r#"invalid type: string "postgres://me:s3cret@db/a", expected é://x"#),
            r#"invalid type: string "postgres://me:***@db/a", expected é://x"#
        );
    }
}
