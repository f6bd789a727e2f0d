//! Formats the lifetime of a link in words.

use crate::i18n::{Language, Message};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The lifetime of a link, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lifetime(pub u64);

impl Lifetime {
    /// Formats the lifetime as "30 minutes", "24 hours" or "7 days". The lifetime is rounded down to a unit, so that a
    /// mail never promises more time than the link has.
    pub(super) fn in_words(self, language: Language) -> String {
        let Lifetime(seconds) = self;
        let (unit, one, other) = if seconds >= 2 * DAY && seconds.is_multiple_of(DAY) {
            (
                DAY,
                Message::MailDurationDayOne,
                Message::MailDurationDayOther,
            )
        } else if seconds >= 2 * DAY || (seconds >= HOUR && seconds.is_multiple_of(HOUR)) {
            (
                HOUR,
                Message::MailDurationHourOne,
                Message::MailDurationHourOther,
            )
        } else if seconds >= MINUTE {
            (
                MINUTE,
                Message::MailDurationMinuteOne,
                Message::MailDurationMinuteOther,
            )
        } else {
            (
                1,
                Message::MailDurationSecondOne,
                Message::MailDurationSecondOther,
            )
        };
        let count = seconds / unit;
        // All languages of the site have the same two plural variants for positive whole numbers (CLDR).
        let message = if count == 1 { one } else { other };
        message.format(language, &[("count", &count.to_string())])
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, Lifetime, MINUTE};
    use crate::i18n::Language::{De, En, Es, Pt};

    #[test]
    fn a_lifetime_has_the_largest_natural_unit() {
        let cases = [
            (2, En, "2 seconds"),
            (1, De, "1 Sekunde"),
            (30 * MINUTE, Es, "30 minutos"),
            (MINUTE, Pt, "1 minuto"),
            (HOUR, En, "1 hour"),
            (90 * MINUTE, De, "90 Minuten"),
            (24 * HOUR, En, "24 hours"),
            (24 * HOUR, De, "24 Stunden"),
            (7 * DAY, De, "7 Tage"),
            (7 * DAY, Pt, "7 dias"),
            (7 * DAY, Es, "7 días"),
        ];
        for (seconds, language, words) in cases {
            assert_eq!(Lifetime(seconds).in_words(language), words);
        }
    }

    #[test]
    fn an_odd_lifetime_never_promises_more_than_is_kept() {
        assert_eq!(Lifetime(90).in_words(En), "1 minute");
        assert_eq!(Lifetime(HOUR + 59).in_words(En), "60 minutes");
        assert_eq!(Lifetime(2 * DAY + HOUR + 1).in_words(En), "49 hours");
    }
}
