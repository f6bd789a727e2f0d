import { afterEach, expect, test, vi } from 'vitest';
import de from '../../../locales/de.json';
import en from '../../../locales/en.json';
import es from '../../../locales/es.json';
import pt from '../../../locales/pt.json';
import { addTexts, onLanguageChange, setLanguage, type TextKey, t, translatorOf } from './texts';

afterEach(() => setLanguage('en'));

test('parameters are replaced by their values, with and without spaces', () => {
  const email = '{{ first }} and {{second}}, {{third}}';
  addTexts('en', { ...en, common: { ...en.common, email } });
  expect(t('common.email', { first: 'one', second: 2 })).toBe('one and 2, {{third}}');
  addTexts('en', en);
});

test.each([
  ['en', en, 'minute and', 'minutes and'],
  ['de', de, 'Minute und', 'Minuten und'],
  ['es', es, 'minuto e', 'minutos e'],
  ['pt', pt, 'minuto e', 'minutos e'],
])('"%s" has a singular and a plural', (language, texts, one, several) => {
  addTexts(language, texts);
  const translate = translatorOf(language);
  expect(translate('answer.wait_minutes', { count: 1 })).toContain(`1 ${one}`);
  expect(translate('answer.wait_minutes', { count: 5 })).toContain(`5 ${several}`);
  // Spanish and Portuguese have the plural category "many" for millions. Its texts equal those of "other".
  expect(translate('answer.wait_minutes', { count: 1_000_000 })).toContain(`1000000 ${several}`);
});

test('a missing text is reported and rendered empty', () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  expect(t('common.no_such_text' as TextKey)).toBe('');
  expect(t('common' as TextKey)).toBe('');
  expect(reported.mock.calls).toEqual([
    ['no text for "common.no_such_text" in "en"'],
    ['no text for "common" in "en"'],
  ]);
});

test('a language change updates the document and all current listeners', () => {
  addTexts('de', de);
  const listener = vi.fn();
  const stop = onLanguageChange(listener);
  setLanguage('de');
  expect(document.documentElement.lang).toBe('de');
  expect(t('common.email')).toBe(de.common.email);
  stop();
  setLanguage('en');
  expect(listener).toHaveBeenCalledTimes(1);
});
