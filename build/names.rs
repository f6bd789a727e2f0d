//! Converts keys of the locale files to names of Rust variants.

/// Converts a dotted key to the name of a variant: `error.invalid_token` to `ErrorInvalidToken`.
pub(crate) fn camel_case(key: &str) -> String {
    key.split(['.', '_'])
        .flat_map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
        })
        .collect()
}
