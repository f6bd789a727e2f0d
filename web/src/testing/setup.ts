import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import words from '../../../locales/en.json';
import { timeLimit } from '../../build/time-limit';
import { startTranslations } from '../i18n/load';
import { setLanguage } from '../i18n/texts';
import { api } from './api';

// The timeout is long, because the first render of a screen imports its script.
configure({ asyncUtilTimeout: timeLimit(5000) });

// jsdom has no constructed style sheets. The browser tests cover them.
CSSStyleSheet.prototype.replaceSync ??= () => undefined;

// jsdom records no navigation.
performance.getEntriesByType ??= () => [];

// jsdom has no layout and therefore cannot scroll, and hides nothing.
Element.prototype.scrollIntoView ??= () => undefined;
Element.prototype.checkVisibility ??= () => true;

// jsdom has no modal dialogs. The browser tests cover their focus handling.
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

/** The messages that the product logs for a failed request. Any other console error fails the test. */
const REQUEST_FAILURE =
  /^(Failed to perform request, received status \d{3}|Failed to fetch|The browser failed: \w+)$/;

let unexpectedErrors: string[] = [];

beforeEach(async () => {
  unexpectedErrors = [];
  vi.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => {
    const text = parts.map(String).join(' ');
    if (!REQUEST_FAILURE.test(text)) unexpectedErrors.push(text);
  });
  setLanguage('en');
});

afterEach(() => {
  cleanup();
  api.resetHandlers();
  expect(unexpectedErrors).toEqual([]);
});

afterAll(() => api.close());
