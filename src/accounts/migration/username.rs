//! Chooses the username of a migrated account whose legacy username is missing, taken or not allowed.

use unicode_normalization::UnicodeNormalization;

use crate::accounts::change::Change;
use crate::db::Result;
use crate::domain::username::{MAX_CHARS, Username};
use crate::store::legacy::LegacyAccount;
use crate::store::names::is_username_taken;

/// The maximum length of a username without the appended number of at most eight digits.
const MAX_STEM_CHARS: usize = MAX_CHARS - 8;
/// Small numbers are tried before random numbers, because `ann2` is easier to remember than `ann48213377`.
const SMALL_USERNAME_NUMBERS: std::ops::RangeInclusive<u32> = 2..=20;
/// The part before the number of a new username, if the old username, the names and the email address contain no ASCII
/// letter or digit.
const FALLBACK_STEM: &str = "fan";

/// Returns the old username if it is allowed and free. Otherwise derives a username from the old username, the names or
/// the email address. If another transaction takes the username meanwhile, the insertion of the account fails.
pub(super) async fn choose_username(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    names: [Option<&str>; 2],
) -> Result<Username> {
    if let Some(existing) = existing_username(old)
        && is_free(change, &existing, old).await?
    {
        return Ok(existing);
    }
    let stem = username_stem(old, names);
    let small = SMALL_USERNAME_NUMBERS.map(|number| format!("{stem}{number}"));
    for text in std::iter::once(stem.clone()).chain(small) {
        if let Ok(name) = Username::parse(&text)
            && !change.app.config.accounts.is_reserved(&name.key())
            && is_free(change, &name, old).await?
        {
            return Ok(name);
        }
    }
    loop {
        let random_number = u32::from_be_bytes(change.app.rng.bytes::<4>()) % 100_000_000;
        if let Ok(name) = Username::parse(&format!("{stem}{random_number:08}"))
            && is_free(change, &name, old).await?
        {
            return Ok(name);
        }
    }
}

/// Returns whether no other account has or reserves the username.
pub(super) async fn is_free(
    change: &mut Change<'_>,
    name: &Username,
    old: &LegacyAccount,
) -> Result<bool> {
    let (hasher, now) = (&change.app.username_hasher, change.now);
    Ok(!is_username_taken(change, hasher, &name.key(), Some(old.id), now).await?)
}

/// Returns the username of the older system, if the username rules of this system allow it.
pub(super) fn existing_username(old: &LegacyAccount) -> Option<Username> {
    Username::parse(old.username.as_deref()?).ok()
}

fn username_stem(old: &LegacyAccount, [first, last]: [Option<&str>; 2]) -> String {
    let names = format!("{}{}", first.unwrap_or_default(), last.unwrap_or_default());
    let local = old.email.split(['@', '+']).next().unwrap_or_default();
    [old.username.as_deref().unwrap_or_default(), &names, local]
        .into_iter()
        .map(keep_letters)
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| FALLBACK_STEM.to_owned())
}

/// Removes accents and all characters except ASCII letters and digits.
fn keep_letters(text: &str) -> String {
    text.nfkd()
        .filter(char::is_ascii_alphanumeric)
        .take(MAX_STEM_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(username: Option<&str>, email: &str) -> LegacyAccount {
        LegacyAccount {
            id: uuid::Uuid::nil(),
            email: email.into(),
            username: username.map(str::to_owned),
            password_hash: None,
            first_name: None,
            last_name: None,
            country: None,
            birthday_day: None,
            birthday_month: None,
            birthday_year: None,
            zipcode: None,
            marketing_consent: None,
            language: None,
        }
    }

    #[test]
    fn a_username_stem_comes_from_the_legacy_username_then_the_full_name_then_the_email_address() {
        let names = [Some("Jürgen"), Some("O’Neill")];
        let stem_of = |name, email, names| username_stem(&old(name, email), names);
        assert_eq!(stem_of(Some("moon_fan!"), "a@b.c", names), "moonfan");
        assert_eq!(stem_of(Some("月"), "a@b.c", names), "JurgenONeill");
        assert_eq!(
            stem_of(None, "ann.b+list@example.org", [None, None]),
            "annb"
        );
        assert_eq!(stem_of(None, "月@example.org", [None, None]), "fan");
        let long = "x".repeat(100);
        assert_eq!(stem_of(Some(&long), "a@b.c", names).len(), MAX_STEM_CHARS);
    }
}
