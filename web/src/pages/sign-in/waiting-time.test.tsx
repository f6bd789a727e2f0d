import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import de from '../../../../locales/de.json';
import es from '../../../../locales/es.json';
import pt from '../../../../locales/pt.json';
import { ApiFailure } from '../../api/client';
import { errorMessageOf } from '../../api/message';
import { addTexts, setLanguage } from '../../i18n/texts';
import { answer, refusal } from '../../testing/api';
import { openSite } from '../../testing/site';
import '../password-reset/request-password';

test.each([
  ['300', 'another one in 5 minutes.'],
  ['241', 'another one in 5 minutes.'],
  ['60', 'another one in 1 minute.'],
  ['4', 'another one in 1 minute.'],
])('after "Retry-After: %s" one reads "%s"', async (seconds, sentence) => {
  const headers = { 'Retry-After': seconds };
  answer('post', '/reset-password', () => refusal(429, 'rate_limited', 'Wait a moment.', headers));
  const user = await openSite('/request-password');
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send reset link' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
});

test('without the header the message of the server is shown', () => {
  const failure = new ApiFailure(429, { code: 'rate_limited', detail: 'Wait a moment.' });
  expect(errorMessageOf(failure, '')).toBe('Wait a moment.');
});

test.each([
  ['de', de, '1 Minute', '5 Minuten'],
  ['es', es, '1 minuto', '5 minutos'],
  ['pt', pt, '1 minuto', '5 minutos'],
])('the minutes are pluralised in "%s"', async (language, words, one, five) => {
  addTexts(language, words);
  setLanguage(language);
  const after = (seconds: number) =>
    errorMessageOf(
      new ApiFailure(429, { code: 'rate_limited', detail: '' }, false, seconds),
      'not this',
    );
  expect(after(60)).toContain(` ${one} `);
  expect(after(300)).toContain(` ${five} `);
});
