//! Formats dates and times for mails.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use crate::config::Region;
use crate::i18n::{Language, Message};

/// Formats a time, in milliseconds since 1970 UTC, in the region's time zone.
pub(crate) fn time_in_words(region: &Region, millis: i64, language: Language) -> String {
    let zone = TimeZone::get(&region.timezone).unwrap_or(TimeZone::UTC);
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    in_words(
        &time.to_zoned_datetime(zone),
        region.is_12_hour_clock(),
        language,
    )
}

/// Formats a time as "November 21, 2026, 14:05 EST", or with "2:05 PM" in English texts of a region with the 12-hour
/// clock. The time zone is included, because a mail may be read anywhere.
fn in_words(time: &ZonedDateTime, is_12_hour_clock: bool, language: Language) -> String {
    let clock = if is_12_hour_clock && language == Language::En {
        "%-I:%M %p"
    } else {
        "%H:%M"
    };
    Message::MailFrameDateAndTime.format(
        language,
        &[
            ("date", &date_in_words(time.date(), language)),
            ("clock", &time.strftime(clock).to_string()),
            ("zone", &zone_name(time)),
        ],
    )
}

/// Formats a date as "November 21, 2026".
pub(crate) fn date_in_words(date: Date, language: Language) -> String {
    let day = match (language, date.day()) {
        // Portuguese has an ordinal for the first day of a month.
        (Language::Pt, 1) => "1º".to_owned(),
        (_, day) => day.to_string(),
    };
    Message::MailFrameDate.format(
        language,
        &[
            ("day", &day),
            (
                "month",
                MONTHS[(date.month() - 1).unsigned_abs() as usize].text(language),
            ),
            ("year", &date.year().to_string()),
        ],
    )
}

/// Returns the abbreviation of the time zone, such as "CET". If the zone has no abbreviation, returns the offset from
/// UTC instead of the number that the time zone database contains ("-03").
fn zone_name(time: &ZonedDateTime) -> String {
    let name = time.strftime("%Z").to_string();
    if name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return name;
    }
    // A minus sign replaces the hyphen, because mail programs never break a line next to a minus sign.
    format!("UTC{}", time.strftime("%:z")).replace('-', "−")
}

const MONTHS: [Message; 12] = [
    Message::MonthJanuary,
    Message::MonthFebruary,
    Message::MonthMarch,
    Message::MonthApril,
    Message::MonthMay,
    Message::MonthJune,
    Message::MonthJuly,
    Message::MonthAugust,
    Message::MonthSeptember,
    Message::MonthOctober,
    Message::MonthNovember,
    Message::MonthDecember,
];

#[cfg(test)]
mod tests {
    use super::{date_in_words, in_words};
    use crate::i18n::Language::{De, En, Es, Pt};
    use jiff::ZonedDateTime;

    fn parse_time(text: &str) -> ZonedDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn each_language_has_its_date_format() {
        let time = parse_time("2026-03-01T09:05:00+00:00[UTC]");
        for (language, text) in [
            (En, "March 1, 2026, 09:05 UTC"),
            (De, "1. März 2026, 09:05 Uhr (UTC)"),
            (Es, "1 de marzo de 2026, 09:05 UTC"),
            (Pt, "1º de março de 2026, 09:05 UTC"),
        ] {
            assert_eq!(in_words(&time, false, language), text);
            assert_eq!(in_words(&time, true, language) == text, language != En);
        }
    }

    #[test]
    fn the_12_hour_clock_has_midnight_and_noon_as_12() {
        for (time, clock) in [
            ("00:05", "12:05 AM"),
            ("09:05", "9:05 AM"),
            ("12:05", "12:05 PM"),
            ("15:41", "3:41 PM"),
        ] {
            let time = parse_time(&format!("2026-11-26T{time}:00[America/New_York]"));
            let text = format!("November 26, 2026, {clock} EST");
            assert_eq!(in_words(&time, true, En), text);
        }
    }

    #[test]
    fn a_date_has_no_time() {
        let date = jiff::civil::date(1990, 7, 5);
        assert_eq!(date_in_words(date, En), "July 5, 1990");
        assert_eq!(date_in_words(date, De), "5. Juli 1990");
        assert_eq!(date_in_words(date, Es), "5 de julio de 1990");
        assert_eq!(date_in_words(date, Pt), "5 de julho de 1990");
    }

    #[test]
    fn the_zone_is_the_one_of_that_day() {
        let summer = parse_time("2026-07-21T14:05:00[America/New_York]");
        assert_eq!(in_words(&summer, false, En), "July 21, 2026, 14:05 EDT");
        let winter = parse_time("2026-12-21T14:05:00[Europe/Berlin]");
        assert_eq!(
            in_words(&winter, false, De),
            "21. Dezember 2026, 14:05 Uhr (CET)"
        );
    }

    #[test]
    fn a_zone_without_abbreviation_is_an_offset() {
        let time = parse_time("2026-11-21T14:05:00[America/Sao_Paulo]");
        assert_eq!(
            in_words(&time, false, Pt),
            "21 de novembro de 2026, 14:05 UTC−03:00"
        );
    }
}
