import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import type { Config } from '../../api/config';
import { answer, config, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { expectLink, openSite, spentLink } from '../../testing/site';
import './completion';

const LINK = '/migration-confirmation?migration_token=secret';
const INVALID_REQUEST = 'Sorry, your request is invalid';
const UNSUCCESSFUL = 'Validation Error Migration unsuccessful';
const ada = { email: 'ada@example.com', username: 'AdaLovelace' };
const linksWithContact = { ...config.region.links, contact: '/contact' };

beforeEach(() => {
  answer('get', '/translations/en', () => HttpResponse.json(words));
});

const VALID_INPUT = {
  'First name': 'Ada',
  'Last name': 'Lovelace',
  Country: 'United States',
  Day: '5',
  Month: '7',
  Year: '1990',
  'Zip code': '90210',
  Password: 'Abcdefg1',
  'Confirm password': 'Abcdefg1',
};
const UNDERAGE_INPUT = { Year: String(new Date().getUTCFullYear() - 10) };

const fieldOf = (label: string) => screen.getByLabelText(label, { selector: 'input, select' });

/** Sets the values by events instead of simulated keys, because user-event is slow in a form with 170 options. */
async function fill(changes: Partial<typeof VALID_INPUT> = {}) {
  await screen.findByLabelText('First name');
  for (const [label, value] of Object.entries({ ...VALID_INPUT, ...changes })) {
    const field = fieldOf(label);
    fireEvent.change(field, { target: { value } });
    // The blur closes the list of the country field, because an open list would take the focus back.
    if (field.getAttribute('role') === 'combobox') fireEvent.blur(field);
  }
}

const chooseYear = (value: string) => fireEvent.change(fieldOf('Year'), { target: { value } });

const submit = () => fireEvent.click(screen.getByText('Complete migration'));

async function send(changes: Partial<typeof VALID_INPUT> = {}, host: Config = config) {
  await openSite(LINK, host);
  await fill(changes);
  submit();
}

// `hidden` skips the visibility check, which is slow, because it computes the style of each option and its ancestors.
const findAlert = () => screen.findByRole('alert', { hidden: true });

const completed = () => answer('post', '/migration/complete', () => ok(ada));

test('the fields have their order', async () => {
  await openSite(LINK);
  await screen.findByLabelText('First name');
  const form = document.querySelector('form');
  const fields = form?.querySelectorAll<HTMLInputElement>(
    'input:not([type="hidden"], [hidden]), select',
  );
  const names = [...(fields ?? [])].map((field) => field.labels?.[0]?.textContent);
  expect(names.slice(0, -1)).toEqual(Object.keys(VALID_INPUT));
  expect(names.at(-1)).toContain('newsletter');
  expect(screen.getByText(/By moving your account you accept the/)).toBeVisible();
  expectLink('Return to Sign In', '/account/');
  expect(location.search).toBe('');
});

test('all values are sent, and the new username is shown', async () => {
  const calls = completed();
  await openSite(LINK);
  await fill({ 'First name': ' Ada ', 'Zip code': ' 90210-1234 ' });
  fireEvent.click(screen.getByLabelText(/newsletter/));
  submit();
  expect(await screen.findByRole('status')).toHaveTextContent('Account migration successful');
  expect(screen.getByText(/Your username is AdaLovelace/)).toHaveTextContent('ada@example.com');
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expect(screen.getByRole('link', { name: 'Go to sign in' })).toBeVisible();
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  expect(calls.map((call) => call.body)).toEqual([
    {
      token: 'secret',
      first_name: 'Ada',
      last_name: 'Lovelace',
      country: 'us',
      birthday_day: 5,
      birthday_month: 7,
      birthday_year: 1990,
      zipcode: '90210-1234',
      password: 'Abcdefg1',
      confirm_password: 'Abcdefg1',
      marketing_consent: true,
    },
  ]);
});

test('without a token no form is shown', async () => {
  await openSite('/migration-confirmation');
  expect(await findAlert()).toHaveTextContent('Invalid migration link');
  expectLink('Request a new link', '/account/migration');
  expect(screen.getByRole('link', { name: 'Return to Sign In' })).toBeVisible();
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
});

test('an empty form names every field, and the focus goes to the first', async () => {
  const calls = completed();
  await openSite(LINK);
  await screen.findByLabelText('First name');
  submit();
  expect(await findAlert()).toHaveTextContent('6 fields need a look.');
  expect(screen.getByLabelText('First name')).toHaveFocus();
  const messages = {
    'First name': 'Please fill in this field',
    'Last name': 'Please fill in this field',
    Country: 'Please select your country',
    Day: 'Invalid date',
    Month: 'Invalid date',
    Year: 'Invalid date',
    'Zip code': 'Please enter a valid ZIP or postal code',
    Password: 'Password does not meet the criteria',
  };
  for (const [name, message] of Object.entries(messages)) {
    const field = fieldOf(name);
    expect(field).toBeInvalid();
    expect(field).toHaveAccessibleDescription(expect.stringContaining(message));
  }
  expect(screen.getByLabelText('Confirm password')).toBeValid();
  expect(calls).toHaveLength(0);
});

test('of each wrong pair of passwords one error is shown', async () => {
  const calls = completed();
  await openSite(LINK);
  await fill();
  for (const [password, again, name, message] of [
    ['Abcdefg1', 'Abcdefg2', 'Confirm password', 'Passwords do not match'],
    ['short', 'other', 'Confirm password', 'Passwords do not match'],
    ['Abcdef1', 'Abcdef1', 'Password', 'Password does not meet the criteria'],
    ['abcdefg1', 'abcdefg1', 'Password', 'Password does not meet the criteria'],
    ['ABCDEFG1', 'ABCDEFG1', 'Password', 'Password does not meet the criteria'],
    ['Abcdefgh', 'Abcdefgh', 'Password', 'Password does not meet the criteria'],
  ] as const) {
    fireEvent.change(fieldOf('Password'), { target: { value: password } });
    fireEvent.change(fieldOf('Confirm password'), { target: { value: again } });
    submit();
    const field = screen.getByLabelText(name);
    expect(field).toHaveFocus();
    expect(field).toHaveAccessibleDescription(expect.stringContaining(message));
    expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(1);
  }
  expect(calls).toHaveLength(0);
});

test('a day that does not exist in the month is invalid', async () => {
  await send({ Day: '31', Month: '2' });
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription('Invalid date');
});

test.each([
  ['us', '10115', true],
  ['us', '1011', false],
  ['us', 'SW1A 1AA', false],
  ['any', 'SW1A 1AA', true],
  ['any', '!', false],
] as const)('with the rule "%s", the zip code %s is accepted: %s', async (rule, zipcode, goes) => {
  const calls = completed();
  const region = { ...config.region, migration_zip: rule };
  await send({ 'Zip code': zipcode }, { ...config, region });
  if (goes) {
    await waitFor(() => expect(calls).toHaveLength(1));
    expect(calls[0]?.body).toMatchObject({ zipcode });
  } else {
    expect(screen.getByLabelText('Zip code')).toHaveAccessibleDescription(
      'Please enter a valid ZIP or postal code',
    );
    expect(calls).toHaveLength(0);
  }
});

test('the age of eighteen is reached on the birthday', async () => {
  const calls = completed();
  const now = new Date();
  await send({
    Day: String(now.getUTCDate()),
    Month: String(now.getUTCMonth() + 1),
    Year: String(now.getUTCFullYear() - 18),
  });
  await waitFor(() => expect(calls).toHaveLength(1));
});

test('a birthday below the minimum age is rejected without a request', async () => {
  const calls = completed();
  await send(UNDERAGE_INPUT);
  expect(await findAlert()).toHaveTextContent(`${INVALID_REQUEST}.`);
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(INVALID_REQUEST);
  expect(screen.getByLabelText('Day')).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test('after three failed age checks every birthday is rejected, without a request', async () => {
  const calls = completed();
  await openSite(LINK);
  await fill(UNDERAGE_INPUT);
  for (let attempt = 0; attempt < 3; attempt += 1) submit();
  chooseYear('1990');
  expect(document.querySelector('[role="alert"]')).toBeNull();
  submit();
  expect(await findAlert()).toHaveTextContent(`${INVALID_REQUEST}.`);
  expect(calls).toHaveLength(0);
});

test('two failed age checks are forgiven', async () => {
  const calls = completed();
  await send(UNDERAGE_INPUT);
  submit();
  chooseYear('1990');
  submit();
  await waitFor(() => expect(calls).toHaveLength(1));
});

test('the error too_many_attempts of the server blocks further requests', async () => {
  const calls = answer('post', '/migration/complete', () =>
    refusal(403, 'too_many_attempts', 'Too often.'),
  );
  await send();
  expect(await findAlert()).toHaveTextContent(`${INVALID_REQUEST}.`);
  expect(await findAlert()).toHaveFocus();
  submit();
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(INVALID_REQUEST);
  expect(calls).toHaveLength(1);
});

test('an age error of the server is shown at the birthday', async () => {
  answer('post', '/migration/complete', () =>
    refusal(422, 'underage', { fields: { birthday: 'Not of age.' } }),
  );
  await send();
  expect(await findAlert()).toHaveTextContent(`${INVALID_REQUEST}.`);
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription('Not of age.');
});

test('field errors of the server are shown at their fields, with the contact link', async () => {
  answer('post', '/migration/complete', () =>
    refusal(422, 'validation_failed', {
      fields: { last_name: 'No such name.', password: 'Everybody uses that one.' },
    }),
  );
  const region = { ...config.region, links: linksWithContact };
  await send({}, { ...config, region });
  const alert = await findAlert();
  expect(alert).toHaveTextContent(UNSUCCESSFUL);
  expectLink('Contact us', '/contact', within(alert));
  expect(screen.getByLabelText('Last name')).toHaveAccessibleDescription('No such name.');
  expect(screen.getByLabelText('Last name')).toHaveFocus();
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(
    expect.stringContaining('Everybody uses that one.'),
  );
  expect(screen.getByText('Complete migration')).not.toHaveAttribute('aria-disabled');
});

test.each([
  ['its title, and the reason', () => refusal(429, 'rate_limited', 'Slow down.'), 'Slow down.'],
  [
    'its title, and a sentence of our own',
    () => new HttpResponse('', { status: 502 }),
    words.completion.not_completed,
  ],
  ['only that nobody answers', networkError, words.common.unreachable],
])('a failure shows %s, and no dead link', async (_whose, refuse, message) => {
  answer('post', '/migration/complete', refuse);
  await send();
  const alert = await findAlert();
  const title = refuse === networkError ? '' : UNSUCCESSFUL;
  expect(alert.textContent).toBe(title + message);
  expect(alert).toHaveFocus();
  expect(within(alert).queryByRole('link')).not.toBeInTheDocument();
  expect(screen.getByLabelText('Password')).toHaveValue('Abcdefg1');
});

test('an expired link offers a new one', async () => {
  answer('post', '/migration/complete', () =>
    refusal(400, 'invalid_token', 'Invalid migration link'),
  );
  await send();
  const alert = await findAlert();
  expect(alert).toHaveTextContent(UNSUCCESSFUL);
  expect(alert).toHaveTextContent('Invalid migration link');
  expect(spentLink()).toHaveFocus();
  expectLink('Request a new link', '/account/migration');
});

const KNOWN = {
  first_name: 'Ada',
  last_name: null,
  country: 'de',
  birthday_day: 30,
  birthday_month: 11,
  birthday_year: null,
  zipcode: null,
};
const known = () => ok({ email: 'ada@example.com', known: KNOWN });
const inUnitedStates = { ...config, region: { ...config.region, country_code: 'us' } };

test('what the older system knew is filled in, can be changed, and is sent', async () => {
  answer('post', '/link-address', known);
  const calls = completed();
  await openSite(LINK, inUnitedStates);
  await waitFor(() => expect(fieldOf('Country')).toHaveValue('Germany'));
  const filled = { 'First name': 'Ada', Day: '30', Month: '11' };
  for (const [label, value] of Object.entries(filled)) expect(fieldOf(label)).toHaveValue(value);
  for (const label of ['Last name', 'Year', 'Zip code']) expect(fieldOf(label)).toHaveValue('');
  const missing = { 'Last name': 'Lovelace', Year: '1990', 'Zip code': '10115' };
  for (const [label, value] of Object.entries({ ...missing, 'First name': 'Augusta' })) {
    fireEvent.change(fieldOf(label), { target: { value } });
  }
  for (const label of ['Password', 'Confirm password']) {
    fireEvent.change(fieldOf(label), { target: { value: 'Abcdefg1' } });
  }
  submit();
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({
    first_name: 'Augusta',
    country: 'de',
    birthday_day: 30,
    birthday_month: 11,
    zipcode: '10115',
  });
});

test('what the user has typed meanwhile stays', async () => {
  const { response, arrive } = pendingResponse();
  answer('post', '/link-address', () => response);
  await openSite(LINK, inUnitedStates);
  await fill({ 'First name': 'Augusta', Day: '5' });
  arrive(known());
  await waitFor(() =>
    expect(document.querySelector('[name="username"]')).toHaveValue('ada@example.com'),
  );
  expect(fieldOf('First name')).toHaveValue('Augusta');
  expect(fieldOf('Day')).toHaveValue('5');
  expect(fieldOf('Country')).toHaveValue('United States');
});

test('what the user types replaces a text that is filled in meanwhile', async () => {
  const { response, arrive } = pendingResponse();
  answer('post', '/link-address', () => response);
  await openSite(LINK, inUnitedStates);
  const firstName = fieldOf('First name');
  firstName.focus();
  arrive(known());
  await waitFor(() => expect(firstName).toHaveValue('Ada'));
  await userEvent.setup().keyboard('Augusta');
  expect(firstName).toHaveValue('Augusta');
});

test.each([
  ['knows no country', () => ok({ email: 'a@b.example' })],
  ['accepts no such link', () => refusal(400, 'invalid_token', 'Invalid.')],
])('the country of the region is preselected if the server %s', async (_, response) => {
  answer('post', '/link-address', response);
  await openSite(LINK, inUnitedStates);
  await waitFor(() => expect(fieldOf('Country')).toHaveValue('United States'));
});
