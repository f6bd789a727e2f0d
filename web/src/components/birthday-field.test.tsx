import { render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import de from '../../../locales/de.json';
import { ConfigProvider } from '../config';
import { addTexts, setLanguage } from '../i18n/texts';
import type { Catalogue } from '../languages';
import { config } from '../testing/api';
import { BirthdayField } from './birthday-field';

afterEach(() => setLanguage('en'));

const namesOfFields = () =>
  [...document.querySelectorAll<HTMLInputElement>('input, select')].map(({ name }) => name);

function Sample({ locale }: { locale: string }) {
  const region = { ...config.region, locale };
  return (
    <ConfigProvider value={{ ...config, region }}>
      <BirthdayField error={undefined} hint="" onInput={() => undefined} />
    </ConfigProvider>
  );
}

test.each([
  ['en-US', ['month', 'day', 'year']],
  ['en-GB', ['day', 'month', 'year']],
  ['de-DE', ['day', 'month', 'year']],
  ['hu-HU', ['year', 'month', 'day']],
])('the fields have the order of dates in %s', (locale, order) => {
  render(<Sample locale={locale} />);
  expect(namesOfFields()).toEqual(order);
});

test('a typed day is kept when the order changes after hydration', () => {
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(<Sample locale="en-US" />);
  expect(namesOfFields()).toEqual(['day', 'month', 'year']);
  screen.getByLabelText<HTMLInputElement>('Day').value = '7';
  render(<Sample locale="en-US" />, { container, hydrate: true });
  expect(namesOfFields()).toEqual(['month', 'day', 'year']);
  expect(screen.getByLabelText('Day')).toHaveValue('7');
});

test('months have names in the language of the page and numbers as values', () => {
  addTexts('de', de as Catalogue);
  setLanguage('de');
  render(<Sample locale="en-US" />);
  expect(screen.getByRole('option', { name: 'März' })).toHaveValue('3');
});
