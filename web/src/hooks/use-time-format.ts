import { useConfig } from '../config';
import { useTranslation } from '../i18n/use-translation';

const MINUTE = 60_000;
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.25 * 24 * 60 * MINUTE],
  ['month', 30.4375 * 24 * 60 * MINUTE],
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** A hyphen and a word joiner, so that no line break splits "GMT-4". */
const UNBROKEN = '-\u2060';

/** Formats timestamps (milliseconds since 1970) for the region, in the language of the page. */
export function useTimeFormat() {
  const { language } = useTranslation();
  const { locale, timezone } = useConfig().region;
  // The region's locale (en-GB: day first) is used if the language of this locale is the language of the page.
  const form = locale.split('-')[0] === language ? locale : language;

  /** Writes the first day of a month as Portuguese does, unlike the browsers: "1º de dezembro". */
  function ordinal(date: string): string {
    return language === 'pt' ? date.replace(/^1 de/, '1º de') : date;
  }

  /** Formats date and time in the time zone of the region, as the mails do. */
  function formatDateTime(millis: number): string {
    const format = new Intl.DateTimeFormat(form, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: timezone,
      timeZoneName: 'short',
    });
    return ordinal(format.format(millis)).replace(/-(?=\d)/, UNBROKEN);
  }

  /** Formats the date with the name of the month. */
  function formatDate(millis: number): string {
    const format = new Intl.DateTimeFormat(form, { dateStyle: 'long', timeZone: timezone });
    return ordinal(format.format(millis));
  }

  /** Formats `millis` as a relative time before `now`. A timestamp in the future counts as now. */
  function formatTimeAgo(millis: number, now: number): string {
    const elapsed = Math.max(0, now - millis);
    const [unit, length] =
      UNITS.find(([, size]) => elapsed >= size) ?? (['second', Infinity] as const);
    const words = new Intl.RelativeTimeFormat(form, { numeric: 'auto' });
    return words.format(-Math.floor(elapsed / length), unit);
  }

  return { formatDateTime, formatDate, formatTimeAgo };
}
