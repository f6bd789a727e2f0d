//! Passwords that attackers try first (NIST SP 800-63B 3.1.1.2, OWASP ASVS 6.2.4 and 6.2.11): common passwords, and
//! passwords that contain the username or another value of the submitted form.
//!
//! The check works offline. The setting `security.common_passwords` decides whether the screens advise against such a
//! password or the server refuses it. docs/decisions/common-passwords.md names the source of the list.

use sha2::{Digest, Sha256};

/// The truncated SHA-256 digests of the common passwords, sorted. scripts/make_common_passwords.py makes this file.
static SORTED_DIGESTS: &[u8] = include_bytes!("common_passwords.bin");
const DIGEST_PREFIX_BYTES: usize = 5;

/// The minimum length of a word that is searched for in a password, because shorter words occur in good passwords by
/// accident. The shortest word in the list has this length too.
const MIN_WORD_CHARS: usize = 4;

/// The maximum number of arbitrary digits, such as a year, that the check ignores after a word.
const MAX_ADDED_DIGITS: usize = 4;

/// Returns whether the password is common or contains one of `words`. The words are the username, both parts of the
/// email address, and the brand.
#[must_use]
pub(crate) fn is_guessable(password: &str, words: &[&str]) -> bool {
    is_common(password) || contains_any_word(password, words)
}

/// Returns whether the password is common, regardless of case, of punctuation at its end, of up to four digits or a
/// sequence of digits (`123456`, `9999`) at its end, and of the usual replacements (`P@ssw0rd`).
#[must_use]
pub(crate) fn is_common(password: &str) -> bool {
    let folded = password.to_lowercase();
    let unpunctuated = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    [
        folded.as_str(),
        unpunctuated,
        strip_added_digits(unpunctuated),
    ]
    .into_iter()
    .any(|text| {
        is_listed(text)
            || is_listed(&undo_substitutions(text, 'i'))
            || is_listed(&undo_substitutions(text, 'l'))
    })
}

/// Returns whether the password contains one of `words` or a part of a word (`jo.miller` has the parts `miller` and
/// `jomiller`), regardless of case and the usual replacements. Parts with fewer than four characters do not count.
#[must_use]
pub(crate) fn contains_any_word(password: &str, words: &[&str]) -> bool {
    let password = fold_spelling(password);
    words.iter().any(|word| {
        let parts = word.split(|c: char| !c.is_alphanumeric());
        let joined: String = parts.clone().collect();
        parts
            .chain([joined.as_str()])
            .flat_map(|part| [part, part.trim_end_matches(|c: char| c.is_ascii_digit())])
            .filter(|part| part.chars().count() >= MIN_WORD_CHARS)
            .any(|part| password.contains(&fold_spelling(part)))
    })
}

fn is_listed(text: &str) -> bool {
    let digest = Sha256::digest(text);
    let (records, _) = SORTED_DIGESTS.as_chunks::<DIGEST_PREFIX_BYTES>();
    records
        .binary_search_by(|record| record[..].cmp(&digest[..DIGEST_PREFIX_BYTES]))
        .is_ok()
}

/// Returns `text` without the digits at its end, if the digits are few or a sequence, and if a word remains.
fn strip_added_digits(text: &str) -> &str {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &text.as_bytes()[word.len()..];
    let is_plain = digits.len() <= MAX_ADDED_DIGITS || is_digit_sequence(digits);
    if is_plain && word.chars().count() >= MIN_WORD_CHARS {
        word
    } else {
        text
    }
}

/// Returns whether all digits are equal, or count up (with 0 after 9), or count down.
fn is_digit_sequence(digits: &[u8]) -> bool {
    let step = |pair: &[u8]| (10 + pair[1] - pair[0]) % 10;
    let mut steps = digits.windows(2).map(step);
    match steps.next() {
        Some(first) => matches!(first, 0 | 1 | 9) && steps.all(|step| step == first),
        None => true,
    }
}

/// Reverts the usual replacements, such as `@` for `a`. 1 and ! can mean i or l; `letter_for_one` chooses.
fn undo_substitutions(text: &str, letter_for_one: char) -> String {
    text.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' => letter_for_one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        })
        .collect()
}

/// Converts a text to a canonical spelling, which is equal for texts that look alike.
fn fold_spelling(text: &str) -> String {
    undo_substitutions(&text.to_lowercase(), 'l').replace('i', "l")
}

#[cfg(test)]
mod tests;
