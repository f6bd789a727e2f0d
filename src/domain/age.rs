//! Birthdays and the two age rules. Registration counts days, and the completion form of a migration counts calendar
//! years. The short completion form does not ask for the day of birth, so its birthday is the first day of the month.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::domain::field_rule::FieldRule;

/// The form whose minimum age applies. Attempts with an age below the minimum are counted for each form separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AgeForm {
    #[default]
    Registration,
    /// The completion form of a migration.
    Migration,
}

/// Returns a birthday from its three numbers. The year must be between 1900 and the current year, as on the screens.
pub(crate) fn birthday(day: i64, month: i64, year: i64, today: Date) -> Result<Date, FieldRule> {
    let parts = || {
        let (year, month, day) = (
            year.try_into().ok()?,
            month.try_into().ok()?,
            day.try_into().ok()?,
        );
        Date::new(year, month, day).ok()
    };
    match parts() {
        Some(date) if date.year() >= 1900 && date.year() <= today.year() => Ok(date),
        _ => Err(FieldRule::BirthdayInvalid),
    }
}

/// Returns whether a person may register, in whole days and years of 365.25 days. `today` is the server's UTC date.
pub(crate) fn is_old_enough(birthday: Date, years: u32, today: Date) -> bool {
    let days = today.duration_since(birthday).as_hours() / 24;
    // Both sides of the comparison are multiplied by four, so that the quarter of a day is exact.
    days * 4 >= i64::from(years) * 1461
}

/// Returns whether a person may use the completion form, in calendar years.
pub(crate) fn is_old_enough_by_calendar(birthday: Date, years: u32, today: Date) -> bool {
    let is_before_birthday = (today.month(), today.day()) < (birthday.month(), birthday.day());
    let age = i64::from(today.year()) - i64::from(birthday.year()) - i64::from(is_before_birthday);
    age >= i64::from(years)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn seventeen_is_6209_and_a_quarter_days() {
        let today = date(2026, 11, 21);
        // 17 × 365.25 = 6209.25, so 6209 days are not enough and 6210 are.
        let born = |days: i64| today.checked_sub(jiff::Span::new().days(days)).unwrap();
        assert!(!is_old_enough(born(6209), 17, today));
        assert!(is_old_enough(born(6210), 17, today));
        assert!(!is_old_enough(date(2027, 1, 1), 17, today));
    }

    #[test]
    fn a_person_is_eighteen_from_the_eighteenth_birthday() {
        let today = date(2026, 11, 21);
        for (born, expected) in [
            (date(2008, 11, 1), true),
            (date(2008, 11, 21), true),
            (date(2008, 11, 22), false),
            (date(2008, 12, 1), false),
            (date(2009, 1, 1), false),
        ] {
            assert_eq!(
                is_old_enough_by_calendar(born, 18, today),
                expected,
                "{born}"
            );
        }
        // A leap day counts from the first of March in other years.
        let leap_day = date(2008, 2, 29);
        assert!(!is_old_enough_by_calendar(leap_day, 18, date(2026, 2, 28)));
        assert!(is_old_enough_by_calendar(leap_day, 18, date(2026, 3, 1)));
    }

    #[test]
    fn only_real_days_are_birthdays() {
        let today = date(2026, 11, 21);
        assert!(birthday(29, 2, 2000, today).is_ok());
        for (d, m, y) in [
            (30, 2, 2000),
            (29, 2, 1900),
            (0, 1, 2000),
            (1, 13, 2000),
            (32, 1, 2000),
            (1, 1, 1899),
            (1, 1, 2027),
            (-1, 1, 2000),
            (1, 1, i64::MAX),
        ] {
            assert_eq!(
                birthday(d, m, y, today),
                Err(FieldRule::BirthdayInvalid),
                "{d}.{m}.{y}"
            );
        }
    }
}
