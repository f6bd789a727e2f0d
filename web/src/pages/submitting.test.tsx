import { fireEvent, screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import words from '../../../locales/en.json';
import { answer, ok, pendingResponse, refusal } from '../testing/api';
import { announcer, openSite } from '../testing/site';
import './completion/completion';
import './sign-up/sign-up';

vi.mock('../loading/load-page');

const PASSWORD = 'Sunny-Couch-42';
const EMAIL = { email: 'ada@example.com' };
const PERSON = { 'country-name': 'Germany', zipcode: '10115', day: '5', month: '7', year: '1990' };

/** Every form: screen, request, input by field name, and label of the button before and during the request. */
const FORMS = [
  ['/', '/login', { ...EMAIL, password: PASSWORD }, 'Sign in', 'Signing in…'],
  [
    '/signup',
    '/register',
    { ...EMAIL, ...PERSON, username: 'ada1815', password: PASSWORD },
    'Create account',
    'Creating account…',
  ],
  ['/request-password', '/reset-password', EMAIL, 'Send reset link', 'Sending…'],
  [
    '/reset-password?token=secret',
    '/reset-password/confirm',
    { new_password: PASSWORD, confirm_password: PASSWORD },
    'Reset password',
    'Saving…',
  ],
  ['/migration', '/migration', EMAIL, 'Request migration', 'Sending…'],
  [
    '/migration?token=secret',
    '/migration/confirm',
    { password: PASSWORD, confirm_password: PASSWORD },
    'Confirm migration',
    'Moving your account…',
  ],
  [
    '/migration-confirmation?migration_token=secret',
    '/migration/complete',
    {
      ...PERSON,
      first_name: 'Ada',
      last_name: 'Sample',
      zipcode: '97201',
      password: PASSWORD,
      confirm_password: PASSWORD,
    },
    'Complete migration',
    'Moving your account…',
  ],
  ['/verify-email', '/resend-verification', EMAIL, 'Send a new link', 'Sending…'],
  ['/settings', '/change-email', EMAIL, 'Save Changes', 'Saving…', 'Change email'],
  [
    '/settings',
    '/change-password',
    { current_password: 'Old-Couch-41', new_password: PASSWORD, confirm_password: PASSWORD },
    'Save Changes',
    'Saving…',
    'Change password',
  ],
] as const;

test.each(FORMS)(
  '%s: %s is sent once, and the focus stays until it goes to the failure',
  async (...form) => {
    const [address, path, fields, name, busy, opener] = form;
    const failures = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    answer('get', '/translations/en', () => HttpResponse.json(words));
    if (opener)
      answer('get', '/users/me', () => ok({ id: '1', email: 'a@b.example', username: 'a' }));
    const first = pendingResponse();
    const calls = answer('post', path, () => first.response);
    const user = await openSite(address, undefined, Boolean(opener));
    if (opener) await user.click(await screen.findByRole('button', { name: opener }));

    const button = await screen.findByRole('button', { name });
    expectKeyToNextField(button.closest('form'));
    await fill(fields);
    await user.click(button);
    await waitFor(() => expect(calls).toHaveLength(1));
    expect(button).toHaveAttribute('aria-disabled', 'true');
    expect(button).toHaveAccessibleName(busy);
    expect(announcer()).toHaveTextContent(button.textContent);
    expect(button).toHaveFocus();

    // The form is sent again by a second click, by Enter in a field, and by a script.
    await user.click(button);
    await user.keyboard('{Enter}');
    button.closest('form')?.requestSubmit();
    expect(button).toHaveFocus();

    first.arrive(refusal(503, 'unavailable', 'A short break.'));
    const sentence = await screen.findByText('A short break.');
    await waitFor(() => expect(sentence.closest('[role="alert"]')).toHaveFocus());
    expect(button).not.toHaveAttribute('aria-disabled');
    expect(announcer()).toBeEmptyDOMElement();
    expect(calls).toHaveLength(1);
    expect(failures.mock.calls).toEqual([['Failed to perform request, received status 503']]);
  },
);

/** On a phone keyboard, the Enter key goes to the next field, and in the last text field it submits the form. */
function expectKeyToNextField(form: HTMLFormElement | null) {
  // The country field is a combobox, in which Enter selects a country.
  const selector = 'input:not([type="checkbox"], [type="hidden"], [role="combobox"], [hidden])';
  const fields = [...(form?.querySelectorAll(selector) ?? [])];
  for (const field of fields.slice(0, -1)) expect(field).toHaveAttribute('enterkeyhint', 'next');
  // In the long forms the last text field is the day of birth, from which Enter goes to the next select.
  const last = fields.at(-1)?.getAttribute('name') === 'day' ? /^next$/ : /^(go|send)$/;
  expect(fields.at(-1)?.getAttribute('enterkeyhint')).toMatch(last);
}

async function fill(fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    const input = document.querySelector(`form [name="${field}"]`);
    if (!input) throw new Error(`the form has no field "${field}"`);
    fireEvent.change(input, { target: { value } });
  }
  // The country can be selected once the list of countries is loaded.
  await waitFor(() => expect(document.querySelector('input[aria-busy="true"]')).toBeNull());
}
