import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import i18next from 'i18next';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import words from '../../../locales/en.json';
import { startTranslations } from '../i18n';
import { api } from './api';

// The first visit of a screen loads its code, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 5000 });

// jsdom knows no constructed style sheets; what they would look like is for the browser tests.
CSSStyleSheet.prototype.replaceSync ??= () => undefined;

beforeAll(() => {
  api.listen({ onUnhandledRequest: 'error' });
  const { mail: _mail, placeholder: _placeholder, ...catalogue } = words;
  startTranslations('en', catalogue);
});

beforeEach(async () => {
  await i18next.changeLanguage('en');
});

afterEach(() => {
  cleanup();
  api.resetHandlers();
});

afterAll(() => api.close());
