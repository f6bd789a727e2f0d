import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import i18next from 'i18next';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import words from '../../../locales/en.json';
import { startTranslations } from '../i18n';
import { api } from './api';

// The first visit of a screen loads its code, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 5000 });

// jsdom knows no constructed style sheets; what they would look like is for the browser tests.
CSSStyleSheet.prototype.replaceSync ??= () => undefined;

// jsdom knows no modal dialogs; that they hold the focus and give it back is for the browser tests.
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
};

beforeAll(() => {
  api.listen({ onUnhandledRequest: 'error' });
  const { mail: _mail, placeholder: _placeholder, ...catalogue } = words;
  startTranslations('en', catalogue);
});

/** The product's own log line for a failed request. Any other error on the console fails the test. */
const REQUEST_FAILURE = /^(Failed to perform request, received status \d{3}|Failed to fetch)$/;

let unexpectedErrors: string[] = [];

beforeEach(async () => {
  unexpectedErrors = [];
  vi.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => {
    const text = parts.map(String).join(' ');
    if (!REQUEST_FAILURE.test(text)) unexpectedErrors.push(text);
  });
  await i18next.changeLanguage('en');
});

afterEach(() => {
  cleanup();
  api.resetHandlers();
  expect(unexpectedErrors).toEqual([]);
});

afterAll(() => api.close());
