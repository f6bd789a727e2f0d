import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { ConfigProvider } from '../config';
import { setLanguage } from '../i18n/texts';
import { config } from '../testing/api';
import { useTimeFormat } from './use-time-format';

const wrapper = ({ children }: { children: ReactNode }) => (
  <ConfigProvider value={config}>{children}</ConfigProvider>
);

afterEach(() => setLanguage('en'));

test.each([
  ['en', 'December 1, 2026'],
  ['es', '1 de diciembre de 2026'],
  ['pt', '1º de dezembro de 2026'],
])('in %s the first day of a month is written as %s', (language, date) => {
  setLanguage(language);
  const { result } = renderHook(useTimeFormat, { wrapper });
  const noon = Date.UTC(2026, 11, 1, 17);
  expect(result.current.formatDate(noon)).toBe(date);
  expect(result.current.formatDateTime(noon).startsWith('1º')).toBe(language === 'pt');
});
