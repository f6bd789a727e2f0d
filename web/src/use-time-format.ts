import { useTranslation } from 'react-i18next';
import { useConfig } from './config';

const MINUTE = 60_000;
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.25 * 24 * 60 * MINUTE],
  ['month', 30.4375 * 24 * 60 * MINUTE],
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** How this region writes moments, in the language of the page. Moments are milliseconds since 1970. */
export function useTimeFormat() {
  const { i18n } = useTranslation();
  const { locale, timezone } = useConfig().region;
  // The region's own way (en-GB: day first) where the language is the region's, too.
  const form = locale.split('-')[0] === i18n.language ? locale : i18n.language;

  /** On the clock of the region, which is named: the mails say it like that, too. */
  function formatDateTime(millis: number): string {
    return new Intl.DateTimeFormat(form, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: timezone,
      timeZoneName: 'short',
    }).format(millis);
  }

  /** How long before `now`. A clock that runs ahead of ours counts as now. */
  function formatTimeAgo(millis: number, now: number): string {
    const gone = Math.max(0, now - millis);
    const [unit, length] =
      UNITS.find(([, size]) => gone >= size) ?? (['second', Infinity] as const);
    const words = new Intl.RelativeTimeFormat(form, { numeric: 'auto' });
    return words.format(-Math.floor(gone / length), unit);
  }

  return { formatDateTime, formatTimeAgo };
}
