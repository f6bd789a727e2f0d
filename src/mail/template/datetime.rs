//! A point in time as people read it.

use crate::i18n::{Language, Message};
use jiff::Zoned;

/// Day, month in words, clock of 24 hours and zone: "November 21, 2026, 14:05 EST". A mail is read
/// anywhere, so the zone is always said.
pub(super) fn in_words(time: &Zoned, language: Language) -> String {
    Message::MailFrameDate.format(
        language,
        &[
            ("day", &time.day().to_string()),
            ("month", month(time.month()).text(language)),
            ("year", &time.year().to_string()),
            ("clock", &time.strftime("%H:%M").to_string()),
            ("zone", &zone(time)),
        ],
    )
}

/// "CET" where the zone has such a name, else the distance: half of the world has none, and the
/// database then offers "-03".
fn zone(time: &Zoned) -> String {
    let name = time.strftime("%Z").to_string();
    if name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return name;
    }
    // A true minus: a line never breaks before or after it.
    format!("UTC{}", time.strftime("%:z")).replace('-', "−")
}

fn month(number: i8) -> Message {
    match number {
        1 => Message::MailMonthJanuary,
        2 => Message::MailMonthFebruary,
        3 => Message::MailMonthMarch,
        4 => Message::MailMonthApril,
        5 => Message::MailMonthMay,
        6 => Message::MailMonthJune,
        7 => Message::MailMonthJuly,
        8 => Message::MailMonthAugust,
        9 => Message::MailMonthSeptember,
        10 => Message::MailMonthOctober,
        11 => Message::MailMonthNovember,
        _ => Message::MailMonthDecember,
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;
    use crate::i18n::Language::{De, En, Es, Pt};
    use jiff::Zoned;

    fn at(text: &str) -> Zoned {
        text.parse().unwrap()
    }

    #[test]
    fn each_language_says_the_date_its_own_way() {
        let time = at("2026-03-01T09:05:00+00:00[UTC]");
        assert_eq!(in_words(&time, En), "March 1, 2026, 09:05 UTC");
        assert_eq!(in_words(&time, De), "1. März 2026, 09:05 Uhr UTC");
        assert_eq!(in_words(&time, Es), "1 de marzo de 2026, 09:05 UTC");
        assert_eq!(in_words(&time, Pt), "1 de março de 2026, 09:05 UTC");
    }

    #[test]
    fn the_zone_is_the_one_of_that_day() {
        let summer = at("2026-07-21T14:05:00[America/New_York]");
        assert_eq!(in_words(&summer, En), "July 21, 2026, 14:05 EDT");
        let winter = at("2026-12-21T14:05:00[Europe/Berlin]");
        assert_eq!(in_words(&winter, De), "21. Dezember 2026, 14:05 Uhr CET");
    }

    #[test]
    fn a_zone_without_a_name_is_said_as_a_distance() {
        let time = at("2026-11-21T14:05:00[America/Sao_Paulo]");
        assert_eq!(
            in_words(&time, Pt),
            "21 de novembro de 2026, 14:05 UTC−03:00"
        );
    }
}
