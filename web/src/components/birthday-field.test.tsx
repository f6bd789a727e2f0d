import { render, screen } from '@testing-library/react';
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

function Sample() {
  return (
    <ConfigProvider value={config}>
      <BirthdayField error={undefined} hint="" onInput={() => undefined} />
    </ConfigProvider>
  );
}

test('the fields have the order day, month, year', () => {
  render(<Sample />);
  expect(namesOfFields()).toEqual(['day', 'month', 'year']);
});

test('months have names in the language of the page and numbers as values', () => {
  addTexts('de', de as Catalogue);
  setLanguage('de');
  render(<Sample />);
  expect(screen.getByRole('option', { name: 'März' })).toHaveValue('3');
});
