//! Passwords that everybody tries first (NIST SP 800-63B 3.1.1.2, OWASP ASVS 6.2.4 and 6.2.11):
//! the common ones, and those made of what stands on the same form.
//!
//! Works offline and tells only yes or no; whether that advises or refuses is
//! `security.common_passwords`. Where the list comes from: docs/decisions/common-passwords.md.

use sha2::{Digest, Sha256};

/// The first bytes of the SHA-256 of each entry, sorted; made by scripts/make_common_passwords.py.
static LIST: &[u8] = include_bytes!("common_passwords.bin");
const RECORD: usize = 5;

/// A shorter word turns up in good passwords by accident. Also the shortest listed stem.
const SHORTEST_WORD: usize = 4;

/// How many digits at the end somebody adds without thinking: a year, a lucky number.
const ADDED_DIGITS: usize = 4;

/// Whether the password is common or contains one of `words`: what the person is called, writes to
/// and visits (username, both sides of the e-mail address, brand).
#[must_use]
pub fn is_guessable(password: &str, words: &[&str]) -> bool {
    is_common(password) || contains_context(password, words)
}

/// Whether the password is one of the commonest, in any case, with signs at its end, with up to
/// four digits or a plain run of them (`123456`, `9999`) at its end, or with the usual
/// replacements (`P@ssw0rd`).
#[must_use]
pub fn is_common(password: &str) -> bool {
    let folded = password.to_lowercase();
    let unsigned = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    [folded.as_str(), unsigned, without_added_digits(unsigned)]
        .into_iter()
        .any(|text| {
            is_listed(text) || is_listed(&unmasked(text, 'i')) || is_listed(&unmasked(text, 'l'))
        })
}

/// Whether the password contains one of `words` or a part of one (`jo.miller` has `miller` and
/// `jomiller`), whatever the case and the usual replacements. Parts under four characters do not
/// count.
#[must_use]
pub fn contains_context(password: &str, words: &[&str]) -> bool {
    let password = one_spelling(password);
    words.iter().any(|word| {
        let parts = word.split(|c: char| !c.is_alphanumeric());
        let joined: String = parts.clone().collect();
        parts
            .chain([joined.as_str()])
            .flat_map(|part| [part, part.trim_end_matches(|c: char| c.is_ascii_digit())])
            .filter(|part| part.chars().count() >= SHORTEST_WORD)
            .any(|part| password.contains(&one_spelling(part)))
    })
}

fn is_listed(text: &str) -> bool {
    let digest = Sha256::digest(text);
    let (records, _) = LIST.as_chunks::<RECORD>();
    records
        .binary_search_by(|record| record[..].cmp(&digest[..RECORD]))
        .is_ok()
}

/// `text` less the digits at its end, if they are few or a plain run, and a word is left.
fn without_added_digits(text: &str) -> &str {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &text.as_bytes()[word.len()..];
    let is_plain = digits.len() <= ADDED_DIGITS || is_run(digits);
    if is_plain && word.chars().count() >= SHORTEST_WORD {
        word
    } else {
        text
    }
}

/// All digits the same, or each one more than the one before it (0 after 9), or one less.
fn is_run(digits: &[u8]) -> bool {
    let step = |pair: &[u8]| (10 + pair[1] - pair[0]) % 10;
    let mut steps = digits.windows(2).map(step);
    match steps.next() {
        Some(first) => matches!(first, 0 | 1 | 9) && steps.all(|step| step == first),
        None => true,
    }
}

/// The usual replacements undone. `one` is what 1 and ! stand for: they are taken for i and for l.
fn unmasked(text: &str, one: char) -> String {
    text.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        })
        .collect()
}

/// The same text for every spelling that looks alike, to compare two of them.
fn one_spelling(text: &str) -> String {
    unmasked(&text.to_lowercase(), 'l').replace('i', "l")
}

#[cfg(test)]
mod tests;
