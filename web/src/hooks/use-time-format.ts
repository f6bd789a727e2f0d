import { useConfig } from '../config';
import { useTranslation } from '../i18n/use-translation';
import { localeOf } from '../languages';

const MINUTE = 60_000;
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.25 * 24 * 60 * MINUTE],
  ['month', 30.4375 * 24 * 60 * MINUTE],
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/**
 * Formats timestamps (milliseconds since 1970) in the language of the page, the time zone of the browser, and the
 * 12-hour or 24-hour format of the browser's locale.
 */
export function useTimeFormat() {
  const { language } = useTranslation();
  const { locale } = useConfig().region;
  // If the locale of the region has the language of the page, its date format is used (en-GB: day before month).
  const tag = locale.split('-')[0] === language ? locale : localeOf(language);
  function formatWith(options: Intl.DateTimeFormatOptions, millis: number): string {
    const text = new Intl.DateTimeFormat(tag, options).format(millis);
    // In Portuguese, the first day of a month is an ordinal number.
    return language === 'pt' ? text.replace(/^1 /, '1º ') : text;
  }

  function formatDateTime(millis: number): string {
    return formatWith({ day: 'numeric', month: 'short', year: 'numeric', ...clock() }, millis);
  }

  /** Formats the date with the name of the month. */
  function formatDate(millis: number): string {
    return formatWith({ dateStyle: 'long' }, millis);
  }

  /** Formats the time from `millis` to `now`, for example "5 minutes ago". A timestamp in the future counts as now. */
  function formatTimeAgo(millis: number, now: number): string {
    const elapsed = Math.max(0, now - millis);
    const [unit, length] =
      UNITS.find(([, size]) => elapsed >= size) ?? (['second', Infinity] as const);
    const formatter = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
    return formatter.format(-Math.floor(elapsed / length), unit);
  }

  const formatTime = (millis: number) => formatWith(clock(), millis);

  return { formatDateTime, formatDate, formatTime, formatTimeAgo };
}

/** The 12-hour or 24-hour format of the browser's locale. */
function clock(): Intl.DateTimeFormatOptions {
  const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return { hour: 'numeric', minute: '2-digit', ...(hourCycle && { hourCycle }) };
}
