import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { signalVerification } from '../../browser/verification-signal';
import { answer, config, networkError, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite, reloadSite } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './sign-up';

beforeEach(() => {
  answer('get', '/translations/en', () => HttpResponse.json(words));
});

const VALID_INPUT = {
  Email: 'ada@example.com',
  Username: 'ada1815',
  Password: 'Abcde1',
  Country: 'Germany',
  'Zip code': '10115',
  Day: '5',
  Month: '7',
  Year: '1990',
};

const acceptRegistrations = (email = VALID_INPUT.Email) =>
  answer('post', '/register', () => ok({ email, username: 'ada1815' }, 201));

async function fill(user: UserEvent, changes: Partial<typeof VALID_INPUT> = {}) {
  await screen.findByRole('textbox', { name: 'Email' });
  for (const [name, text] of Object.entries({ ...VALID_INPUT, ...changes })) {
    const field = screen.getByLabelText(name, { selector: 'input, select' });
    if (field instanceof HTMLSelectElement) await user.selectOptions(field, text);
    else {
      await user.clear(field);
      await user.paste(text);
    }
  }
}

const submit = (user: UserEvent) =>
  user.click(screen.getByRole('button', { name: 'Create account' }));

async function send(changes: Partial<typeof VALID_INPUT> = {}) {
  const user = await openSite('/signup');
  await fill(user, changes);
  await submit(user);
  return user;
}

test('all values are sent, and a thank-you with the terms replaces the form', async () => {
  const calls = acceptRegistrations();
  const user = await openSite('/signup');
  await fill(user);
  await user.click(screen.getByRole('checkbox'));
  await submit(user);

  expect(await screen.findByRole('status')).toHaveTextContent('Thank you for joining, ada1815!');
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expect(screen.getByRole('link', { name: 'Terms of Use' })).toBeVisible();
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  expect(calls.map((call) => call.body)).toEqual([
    {
      email: 'ada@example.com',
      username: 'ada1815',
      password: 'Abcde1',
      country: 'de',
      zipcode: '10115',
      birthday_day: 5,
      birthday_month: 7,
      birthday_year: 1990,
      marketing_consent: true,
    },
  ]);
});

test('after a verification in another tab the screen goes on to the sign-in', async () => {
  acceptRegistrations();
  await send();
  await screen.findByText(/Thank you for joining/);
  expectLink('Go to sign in', '/account/');
  const onEmail = vi.fn();
  const stop = signalVerification('email-verified', onEmail);
  expect(await screen.findByText('Your email has been verified')).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  await vi.waitFor(() => expect(onEmail).toHaveBeenCalledWith('ada@example.com'));
  stop();
});

test('an empty form names every field, and the focus goes to the first', async () => {
  const user = await openSite('/signup');
  await screen.findByRole('textbox', { name: 'Email' });
  await submit(user);
  expect(await screen.findByRole('alert')).toHaveTextContent('6 fields need a look.');
  const email = screen.getByRole('textbox', { name: 'Email' });
  expect(email).toHaveFocus();
  expect(email).toBeInvalid();
  expect(email).toHaveAccessibleDescription('Invalid email address.');
  expect(screen.getByLabelText('Username')).toHaveAccessibleDescription(
    'Please fill in this field',
  );
  expect(screen.getByRole('combobox', { name: 'Country' })).toHaveAccessibleDescription(
    'Please select your country',
  );
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(
    expect.stringContaining('Password must be at least 6 characters long'),
  );
  expect(screen.getByLabelText('Zip code')).toHaveAccessibleDescription(
    'Please enter a valid ZIP or postal code',
  );
  for (const part of ['Day', 'Month', 'Year']) {
    expect(screen.getByLabelText(part)).toHaveAccessibleDescription('Invalid date');
  }
});

test('the country of the region is preselected', async () => {
  await openSite('/signup', { ...config, region: { ...config.region, country_code: 'us' } });
  const country = await screen.findByRole('combobox', { name: 'Country' });
  await waitFor(() => expect(country).toHaveValue('United States'));
});

test('the error summary has a link to each invalid field', async () => {
  const user = await send({ Username: '', Country: '', Day: '' });
  const summary = within(await screen.findByRole('alert'));
  for (const [name, field] of [
    ['Date of birth', 'Day'],
    ['Country', 'Country'],
    ['Username', 'Username'],
  ] as const) {
    await user.click(summary.getByRole('link', { name }));
    expect(screen.getByLabelText(field, { selector: 'input, select' })).toHaveFocus();
  }
  await user.keyboard('ada');
  expect(summary.getByText('2 fields need a look.')).toBeVisible();
  expect(summary.queryByRole('link', { name: 'Username' })).not.toBeInTheDocument();
});

test('of each wrong password one error is shown', async () => {
  const user = await openSite('/signup');
  const field = await screen.findByLabelText('Password');
  for (const [password, message] of [
    ['ab1', 'Password must be at least 6 characters long'],
    ['abcdef', 'Password must contain at least one uppercase letter'],
    ['ABCDEF', 'Password must contain at least one lowercase letter'],
    ['Abcdef', 'Password must contain at least one number'],
  ] as const) {
    await user.clear(field);
    await user.paste(password);
    expect(field).toBeValid();
    await submit(user);
    expect(field).toBeInvalid();
    expect(field.getAttribute('aria-describedby')?.split(' ')).toHaveLength(2);
    expect(field).toHaveAccessibleDescription(expect.stringContaining(message));
  }
});

test('the spaces around a pasted username are not part of the username', async () => {
  const calls = acceptRegistrations();
  await send({ Username: ' ada1815 ' });
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({ username: 'ada1815' });
});

test('an error disappears with the next key press', async () => {
  const user = await send({ Username: 'ada_l' });
  const field = screen.getByLabelText('Username');
  expect(field).toHaveAccessibleDescription('Username can contain only letters and numbers');
  await user.type(field, '2');
  expect(field).toBeValid();
});

test('field errors of the server are shown at their fields', async () => {
  answer('post', '/register', () =>
    refusal(409, 'account_exists', { fields: { email: 'Somebody was faster.' } }),
  );
  await send();
  await waitFor(() =>
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Somebody was faster.'),
  );
  expectActive('Create account');
});

test.each([
  ['no title', 'Slow down.', () => refusal(429, 'rate_limited', { error: 'Slow down.' })],
  ['no title', 'Not today.', () => refusal(400, 'bad_request', { error: 'Not today.' })],
  ['the generic title', 'Out of order.', () => refusal(500, 'internal', 'Out of order.')],
  [
    'the generic title',
    'Sorry, something went wrong.',
    () => refusal(422, 'validation', { fields: {} }),
  ],
  ['no title', 'We can’t reach the server.', networkError],
  [
    'the generic title',
    'Sorry, something went wrong.',
    () => new HttpResponse('<p>', { status: 502 }),
  ],
])('a failure without fields has %s and its own message: %s', async (title, message, fail) => {
  answer('post', '/register', fail);
  await send();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(message);
  expect(alert.textContent.includes('Authentication failed')).toBe(title !== 'no title');
  expect(alert).toHaveFocus();
});

test('after three birthdays under the minimum age every birthday is rejected without a request', async () => {
  const calls = acceptRegistrations();
  const user = await openSite('/signup');
  await fill(user, { Year: String(new Date().getUTCFullYear() - 10) });
  for (let attempt = 0; attempt < 3; attempt += 1) await submit(user);
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(
    'Sorry, your request is invalid',
  );
  await user.selectOptions(screen.getByLabelText('Year'), '1990');
  expect(screen.getByLabelText('Day')).toBeValid();
  await submit(user);
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(
    'Sorry, your request is invalid',
  );
  expect(calls).toHaveLength(0);
});

test('a valid birthday is accepted after two attempts under the minimum age', async () => {
  const calls = acceptRegistrations();
  const user = await send({ Year: String(new Date().getUTCFullYear() - 10) });
  await submit(user);
  await user.selectOptions(screen.getByLabelText('Year'), '1990');
  await submit(user);
  await waitFor(() => expect(calls).toHaveLength(1));
});

test('the day accepts two digits and nothing else', async () => {
  const user = await openSite('/signup');
  const day = await screen.findByLabelText('Day');
  await user.type(day, 'a3-14');
  expect(day).toHaveValue('31');
});

test('the checklist is updated while the password is typed', async () => {
  const user = await openSite('/signup');
  await user.type(await screen.findByLabelText('Password'), 'Abc');
  const line = (text: string) => within(screen.getByText(text).closest('li') as HTMLElement);
  expect(line('One uppercase letter').getByText('done')).toBeInTheDocument();
  expect(line('One lowercase letter').getByText('done')).toBeInTheDocument();
  expect(line('One number').queryByText('done')).not.toBeInTheDocument();
  expect(line('At least 6 characters').queryByText('done')).not.toBeInTheDocument();
  expect(screen.getByText('2 of 4 password requirements met')).toHaveAttribute(
    'aria-live',
    'polite',
  );
});

test('password managers store the address as the user name, not the public username', async () => {
  await openSite('/signup');
  const email = await screen.findByRole('textbox', { name: 'Email' });
  expect(email).toHaveAttribute('autocomplete', 'username');
  expect(screen.getByLabelText('Username')).toHaveAttribute('autocomplete', 'nickname');
});

test('a wrong address is corrected in the form as typed, without the password, also after a reload', async () => {
  const calls = acceptRegistrations('ada@gmial.example');
  const user = await openSite('/signup');
  await fill(user, { Email: 'ada@gmial.example' });
  await user.click(screen.getByRole('checkbox'));
  await submit(user);
  await screen.findByRole('heading', { level: 1, name: 'Check your email' });
  expect(JSON.stringify(history.state)).not.toContain(VALID_INPUT.Password);
  await reloadSite();
  await user.click(await screen.findByRole('button', { name: 'Wrong email? Change it' }));
  expect(screen.getByRole('heading', { level: 1, name: 'Create account' })).toHaveFocus();
  expect(screen.getByText(/enter your password again/)).toBeVisible();
  const typed = { ...VALID_INPUT, Email: 'ada@gmial.example', Password: '' };
  for (const [name, text] of Object.entries(typed)) {
    expect(screen.getByLabelText(name, { selector: 'input, select' })).toHaveValue(text);
  }
  expect(screen.getByRole('checkbox')).toBeChecked();
  await user.clear(screen.getByLabelText('Email'));
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'Abcde1');
  await submit(user);
  await screen.findByRole('status');
  const first = { ...(calls[0]?.body as object), email: 'ada@gmial.example' };
  expect(calls[1]?.body).toEqual({
    ...first,
    email: 'ada@example.com',
    corrected_email: 'ada@gmial.example',
  });
});

test('the sign-in is filled in with the corrected address', async () => {
  acceptRegistrations('ada@gmial.example');
  const user = await send({ Email: 'ada@gmial.example' });
  await user.click(await screen.findByRole('button', { name: 'Wrong email? Change it' }));
  acceptRegistrations();
  await fill(user);
  await submit(user);
  await user.click(await screen.findByRole('link', { name: 'Go to sign in' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@example.com');
});

test('after a reload the sign-in is filled in with the registered address', async () => {
  acceptRegistrations();
  const user = await send();
  await screen.findByText(/Thank you for joining/);
  await reloadSite();
  await user.click(await screen.findByRole('link', { name: 'Go to sign in' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@example.com');
});

test.each([
  [
    'email_in_old_system',
    'Move an account from the old site',
    '/account/migration?email=ada%40example.com',
  ],
  ['account_exists', 'Sign in with this address', '/account/'],
])('an address that is refused with %s gets a link', async (code, name, href) => {
  answer('post', '/register', () =>
    refusal(409, code, { fields: { email: 'Not this one.' } }, {}, { fields: { email: code } }),
  );
  await send();
  await screen.findByRole('alert');
  expectLink(name, href);
});
