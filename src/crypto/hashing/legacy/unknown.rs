//! Names unknown hash formats, so that an operator can count them. A name never contains a part of the secret hash.

/// The minimum length of a hash. A shorter text could be a password, so no part of it may become the name of a format.
const MIN_HASH_BYTES: usize = 24;
const MAX_MARKER_BYTES: usize = 24;

/// Returns the marker at the beginning of a hash (`$7$`, `{CRYPT}`, `sha1$`, `pbkdf2:sha256`). If there is no marker,
/// returns a description of the text.
pub(crate) fn name_format(text: &str) -> String {
    find_marker(text).unwrap_or_else(|| text_shape(text).to_owned())
}

fn find_marker(text: &str) -> Option<String> {
    if text.len() < MIN_HASH_BYTES {
        return None;
    }
    let (start, close) = match text.chars().next()? {
        '$' => (1, '$'),
        '{' => (1, '}'),
        ':' => (1, ':'),
        _ => (0, '$'),
    };
    let length = text[start..].find(close)?;
    let name = &text[start..start + length];
    if let Some(method) = find_werkzeug_method(name) {
        return Some(method);
    }
    let is_name = (1..=MAX_MARKER_BYTES).contains(&length)
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.\\".contains(&byte));
    // The text is a hash only if enough characters follow the marker.
    let is_followed = text.len() - (start + length) >= MIN_HASH_BYTES / 2;
    (is_name && is_followed).then(|| text[..=start + length].to_owned())
}

/// Werkzeug writes its hash method, with colons, before the first `$`: `pbkdf2:sha256:260000`, `scrypt:32768:8:1`. This
/// function returns the method without its numbers, because they differ between hashes of one method.
fn find_werkzeug_method(name: &str) -> Option<String> {
    let mut parts = name.split(':');
    let method = parts
        .next()
        .filter(|name| matches!(*name, "pbkdf2" | "scrypt"))?;
    let digest = parts.next()?;
    Some(match digest.parse::<u64>() {
        Ok(_) => method.to_owned(),
        Err(_)
            if digest.len() <= MAX_MARKER_BYTES
                && digest.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            format!("{method}:{digest}")
        }
        Err(_) => return None,
    })
}

fn text_shape(text: &str) -> &'static str {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_hex, text.len()) {
        (true, 32) => "32 hexadecimal digits",
        (true, 40) => "40 hexadecimal digits",
        (true, 64) => "64 hexadecimal digits",
        (true, 128) => "128 hexadecimal digits",
        _ => "no marker",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_named_by_its_marker_and_never_by_a_password() {
        let long = "a".repeat(32);
        for (text, name) in [
            (format!("$7${long}"), "$7$"),
            (format!("{{SSHA512}}{long}"), "{SSHA512}"),
            (format!("sha1$salt${long}"), "sha1$"),
            (format!(":Z:{long}"), ":Z:"),
            (
                format!("pbkdf2:sha256:260000$abcdefgh${long}"),
                "pbkdf2:sha256",
            ),
            (format!("pbkdf2:sha1$abcdefgh${long}"), "pbkdf2:sha1"),
            (format!("scrypt:32768:8:1$abcdefgh${long}"), "scrypt"),
            (format!("$2y\\H$10${long}"), "$2y\\H$"),
            (long.clone(), "32 hexadecimal digits"),
            ("f".repeat(40), "40 hexadecimal digits"),
            ("$ecret$".to_owned(), "no marker"),
            ("my long pass phrase $ is here".to_owned(), "no marker"),
            (format!("pbkdf2:my secret$abcdefgh${long}"), "no marker"),
            (format!("$ü${long}"), "no marker"),
            (String::new(), "no marker"),
        ] {
            assert_eq!(name_format(&text), name, "{text}");
        }
    }
}
