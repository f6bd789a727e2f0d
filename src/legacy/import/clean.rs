//! Converts a row of the imported file into a row for the database.
//!
//! A row is rejected only if it has no valid email address, because its person could never be reached. Any other
//! unusable value is omitted with a warning, and the person enters the value during the migration.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};

use super::column::Column;
use super::raw::{RawRow, RawValue};
use super::rejects::{RejectCode, RejectReason};
use crate::crypto::hashing::legacy::{HashRefused, LegacyHash, name_format};
use crate::domain::email::Email;
use crate::domain::username::Username;
use crate::domain::{age, country, visible_text, zipcode};
use crate::i18n::Language;
use crate::store::legacy_import::ImportRow;

/// The maximum length of a name or username. The legacy system may allow longer usernames than this site, so the
/// migration derives a shorter username.
const MAX_NAME_CHARS: usize = 100;
const MAX_ID_CHARS: usize = 200;

/// An unusual value, which the import counts.
pub(super) enum Warning {
    Omitted(&'static str),
    Kept(&'static str),
    /// The format of a password hash is unknown. The variant contains the name of the format.
    UnknownHash(String),
}

type OnWarning<'a> = &'a mut dyn FnMut(Warning);

/// Returns the row for the database, or the reason for the rejection. Calls `warn` for each unusual value.
pub(super) fn clean_row(
    mut raw: RawRow,
    now: Timestamp,
    warn: OnWarning<'_>,
) -> Result<ImportRow, RejectReason> {
    let email = match raw.take(Column::Email) {
        None => Err((RejectCode::EmailMissing, "no email")),
        Some(RawValue::Unreadable) => Err((RejectCode::EmailInvalid, "email is no text")),
        Some(RawValue::Text(text)) => Email::parse(&text)
            .or_else(|_| Email::parse(&decode_entities(&text)))
            .map_err(|_| (RejectCode::EmailInvalid, "email is no valid address")),
    };
    let email = email.map_err(|(code, text)| RejectReason::new(code, text))?;
    if raw.is_short {
        warn(Warning::Kept("missing cells at the end of a row"));
    }
    let mut fields = RowFields { raw, warn };
    let username = fields.text(Column::Username, MAX_NAME_CHARS, "username: not usable");
    let birthday = fields.take_birthday(now.to_zoned_datetime(TimeZone::UTC).date());
    let mut row = ImportRow {
        username_key: username
            .as_deref()
            .and_then(|text| Username::parse(text).ok())
            .map(|name| name.key()),
        username,
        password_hash: fields.take_hash(),
        first_name: fields.text(Column::FirstName, MAX_NAME_CHARS, "first_name: not usable"),
        last_name: fields.text(Column::LastName, MAX_NAME_CHARS, "last_name: not usable"),
        country: fields.take_country(),
        birthday_day: birthday[0],
        birthday_month: birthday[1],
        birthday_year: birthday[2],
        zipcode: fields.take_zipcode(),
        marketing_consent: fields.take_consent(),
        language: fields.take_language(),
        legacy_id: fields.text(Column::LegacyId, MAX_ID_CHARS, "legacy_id: not usable"),
        created_at: fields.take_created_at(now),
        email,
        hash: [0; 32],
    };
    row.hash = fingerprint(&row);
    Ok(row)
}

struct RowFields<'a> {
    raw: RawRow,
    warn: OnWarning<'a>,
}

impl RowFields<'_> {
    fn take(&mut self, column: Column, warning: &'static str) -> Option<String> {
        match self.raw.take(column)? {
            RawValue::Text(text) => Some(text),
            RawValue::Unreadable => self.omit_value(warning),
        }
    }

    /// Returns the trimmed value of a column if it is one line of text, otherwise `None` with a warning.
    fn text(&mut self, column: Column, max_chars: usize, warning: &'static str) -> Option<String> {
        let mut text = self.take(column, warning)?;
        let is_name = matches!(
            column,
            Column::Username | Column::FirstName | Column::LastName
        );
        let is_escaped = is_name && text.contains('&');
        if is_escaped {
            text = decode_entities(&text);
        }
        if visible_text::trim(&text).is_empty() {
            return None;
        }
        let Some(text) = visible_text::parse_name(&text, max_chars) else {
            return self.omit_value(warning);
        };
        if is_escaped && has_entity(text) {
            (self.warn)(Warning::Kept("a name with an HTML entity"));
        }
        Some(text.to_owned())
    }

    fn omit_value<T>(&mut self, warning: &'static str) -> Option<T> {
        (self.warn)(Warning::Omitted(warning));
        None
    }

    fn parse_field<T>(
        &mut self,
        column: Column,
        warning: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(column, MAX_ID_CHARS, warning)?;
        parse(&text).or_else(|| self.omit_value(warning))
    }

    /// Returns the password hash without the padding of a column of fixed length, because no hash ends in a blank.
    fn take_hash(&mut self) -> Option<String> {
        let text = self.take(Column::PasswordHash, "password_hash: no text")?;
        let text = text.trim_end();
        if text.is_empty() {
            return None;
        }
        if text.chars().any(char::is_control) {
            return self.omit_value("password_hash: damaged");
        }
        match LegacyHash::parse(text) {
            Ok(_) => Some(text.to_owned()),
            Err(HashRefused::UnknownFormat) => {
                (self.warn)(Warning::UnknownHash(name_format(text)));
                self.omit_value("password_hash: of an unknown form")
            }
            Err(HashRefused::TooCostly) => self.omit_value("password_hash: too costly to verify"),
            Err(HashRefused::Malformed) => self.omit_value("password_hash: damaged"),
        }
    }

    fn take_country(&mut self) -> Option<String> {
        self.parse_field(
            Column::Country,
            "country: no known two-letter code",
            |text| {
                let code = text.to_ascii_lowercase();
                country::parse(&code).is_ok().then_some(code)
            },
        )
    }

    fn take_zipcode(&mut self) -> Option<String> {
        self.parse_field(Column::Zipcode, "zipcode: not usable", |text| {
            zipcode::parse(text).ok()
        })
    }

    /// Returns day, month and year of the birthday. A date that does not exist is omitted, but the plausible parts of
    /// an incomplete date are kept.
    fn take_birthday(&mut self, today: Date) -> [Option<i64>; 3] {
        const WARNING: &str = "birthday: no such day";
        let this_year = i64::from(today.year());
        let mut part = |column, range: std::ops::RangeInclusive<i64>| {
            self.parse_field(column, WARNING, |text| {
                text.parse().ok().filter(|number| range.contains(number))
            })
        };
        let day = part(Column::BirthdayDay, 1..=31);
        let month = part(Column::BirthdayMonth, 1..=12);
        let year = part(Column::BirthdayYear, 1900..=this_year);
        match (day, month, year) {
            (Some(d), Some(m), Some(y)) if age::birthday(d, m, y, today).is_err() => {
                (self.warn)(Warning::Omitted(WARNING));
                [None; 3]
            }
            parts => parts.into(),
        }
    }

    fn take_consent(&mut self) -> Option<bool> {
        self.parse_field(
            Column::MarketingConsent,
            "marketing_consent: neither yes nor no",
            |text| match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "yes" | "y" | "1" => Some(true),
                "false" | "f" | "no" | "n" | "0" => Some(false),
                _ => None,
            },
        )
    }

    /// Parses the language of a value such as `de`, `de-AT` or `de_AT`.
    fn take_language(&mut self) -> Option<String> {
        self.parse_field(Column::Language, "language: none of the site", |text| {
            Some(Language::from_tag(text)?.code().to_owned())
        })
    }

    fn take_created_at(&mut self, now: Timestamp) -> Option<i64> {
        let warning = "created_at: no point in time";
        let time = self.parse_field(Column::CreatedAt, warning, parse_timestamp)?;
        if time > now {
            return self.omit_value("created_at: in the future");
        }
        Some(time.as_millisecond())
    }
}

/// Numbers from this one on are milliseconds, because as seconds they would be later than the year 5138.
const MIN_MILLISECONDS: i64 = 100_000_000_000;

/// 1 January 1990. No community site is older, so an earlier time is a number or a text in another format.
const EARLIEST: Timestamp = Timestamp::constant(631_152_000, 0);

/// Parses a time in RFC 3339, as `2012-05-01 10:00:00` (SQL, taken as UTC), as a date, as eight or fourteen digits
/// (`20120501100000`, as MediaWiki stores it), or as a number of seconds or milliseconds.
fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let number = match text.split_once('.') {
        // The import ignores fractions of a second.
        Some((number, fraction)) if is_number(fraction) => number,
        _ => text,
    };
    let time = match number.len() {
        8 if is_number(number) => {
            let date = Date::strptime("%Y%m%d", number).ok()?;
            to_timestamp(date.to_datetime(Time::midnight()))
        }
        14 if is_number(number) => to_timestamp(DateTime::strptime("%Y%m%d%H%M%S", number).ok()?),
        _ => match number.parse() {
            Ok(millis @ MIN_MILLISECONDS..) => Timestamp::from_millisecond(millis).ok(),
            Ok(seconds) => Timestamp::from_second(seconds).ok(),
            Err(_) => text
                .parse()
                .ok()
                .or_else(|| to_timestamp(text.parse().ok()?)),
        },
    };
    time.filter(|time| *time >= EARLIEST)
}

fn to_timestamp(time: DateTime) -> Option<Timestamp> {
    Some(time.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp())
}

/// The characters that `htmlspecialchars` of PHP escapes. The ampersand is the last, so that a text is decoded once.
const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#039;", "'"),
    ("&#39;", "'"),
    ("&amp;", "&"),
];

fn decode_entities(text: &str) -> String {
    let decode = |text: String, (entity, character): &(&str, &str)| text.replace(entity, character);
    ENTITIES.iter().fold(text.to_owned(), decode)
}

/// Returns whether a text contains `&word;`.
fn has_entity(text: &str) -> bool {
    let is_word = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
    };
    let mut after = text.split('&').skip(1);
    after.any(|rest| {
        rest.split_once(';')
            .is_some_and(|(word, _)| !word.is_empty() && is_word(word))
    })
}

/// Returns the SHA-256 digest of all stored values. An equal fingerprint means that the row has not changed.
fn fingerprint(row: &ImportRow) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut add = |text: Option<&str>| {
        // The length precedes each text, so that "ab" + "c" differs from "a" + "bc", and a missing from an empty text.
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hash.update(length.to_be_bytes());
        hash.update(text.unwrap_or_default());
    };
    add(Some(row.email.as_entered()));
    for text in [
        &row.username, &row.password_hash, &row.first_name, &row.last_name, &row.country,
        &row.zipcode, &row.language, &row.legacy_id,
    ] {
        add(text.as_deref());
    }
    for number in [
        row.birthday_day,
        row.birthday_month,
        row.birthday_year,
        row.marketing_consent.map(i64::from),
        row.created_at,
    ] {
        hash.update(number.unwrap_or(i64::MIN).to_be_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::parse_timestamp;

    #[test]
    fn times_are_read_as_old_systems_write_them() {
        for (text, expected) in [
            ("2012-05-01T12:00:00+02:00", "2012-05-01T10:00:00Z"),
            ("2012-05-01 10:00:00", "2012-05-01T10:00:00Z"),
            ("2012-05-01", "2012-05-01T00:00:00Z"),
            ("20120501100000", "2012-05-01T10:00:00Z"),
            ("20120501100000.5", "2012-05-01T10:00:00Z"),
            ("20120501", "2012-05-01T00:00:00Z"),
            ("1335866400", "2012-05-01T10:00:00Z"),
            ("1335866400.25", "2012-05-01T10:00:00Z"),
            ("1335866400000", "2012-05-01T10:00:00Z"),
            ("986774400", "2001-04-09T00:00:00Z"),
        ] {
            let found = parse_timestamp(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.to_string(), expected, "{text}");
        }
        for wrong in [
            "", "soon", "00000000000000", "00000000", "20121301", "20120501106000", "1.5e9",
            "2012.5.1", "0000-00-00 00:00:00", "99999999999999999999", "-86400",
            "1986774400000000",
        ] {
            assert_eq!(parse_timestamp(wrong), None, "{wrong}");
        }
    }
}
