import { expect, test } from 'vitest';
import { countryvalues } from '../../../locales/en.json';
import { orderOfDate } from './birthday-order';

function orderOfIntl(locale: string): string {
  const parts = new Intl.DateTimeFormat(locale).formatToParts().map(({ type }) => type);
  return parts.filter((type) => type !== 'literal').join();
}

test.each([
  ...['en', 'en-US', 'en-PH', 'en-GB', 'en-CA', 'en-ZA', 'en-AU', 'en-IE', 'en-IN', 'en-SE'],
  ...['hu-HU', 'ja-JP', 'ko-KR', 'lt-LT', 'sv-SE', 'zh-CN', 'zh-Hant-TW', 'fr-CA', 'fr-FR'],
])('%s has the order of Intl', (locale) => {
  expect(orderOfDate(locale)).toBe(orderOfIntl(locale));
});

test.each(['de', 'es', 'pt'])('%s has the order of Intl in each country', (language) => {
  const locales = Object.keys(countryvalues).map((code) => `${language}-${code.toUpperCase()}`);
  expect(locales.filter((locale) => orderOfDate(locale) !== orderOfIntl(locale))).toEqual([]);
});
