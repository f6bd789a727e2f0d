/** A date of birth. A part is null until the user has chosen it. */
export interface Birthday {
  day: number | null;
  month: number | null;
  year: number | null;
}

/** The earliest year of birth that the forms offer and the server accepts. */
export const FIRST_YEAR = 1900;

const DAY = 24 * 60 * 60 * 1000;
const DAYS_PER_YEAR = 365.25;

type BirthdayError = 'birthday_invalid' | 'underage';

/**
 * Checks the minimum age for a registration. As on the server, a year has 365.25 days, so that some birthdays count one
 * day late.
 */
export function checkBirthday(birthday: Birthday, age: number, today: Date): BirthdayError | null {
  const born = dateOf(birthday, today);
  if (born === null) return 'birthday_invalid';
  const now = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  return (now - born.getTime()) / DAY / DAYS_PER_YEAR < age ? 'underage' : null;
}

/** Checks the minimum age in the completion form, in calendar years. The short form asks for no day: it passes 1. */
export function checkCompletionBirthday(
  birthday: Birthday,
  age: number,
  today: Date,
): BirthdayError | null {
  const born = dateOf(birthday, today);
  if (born === null) return 'birthday_invalid';
  born.setUTCFullYear(born.getUTCFullYear() + age);
  return born > today ? 'underage' : null;
}

/** Returns the date in UTC, or null for an incomplete or invalid date and for a year that the forms do not offer. */
function dateOf({ day, month, year }: Birthday, today: Date): Date | null {
  if (day === null || month === null || year === null) return null;
  if (year < FIRST_YEAR || year > today.getUTCFullYear()) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null;
}
