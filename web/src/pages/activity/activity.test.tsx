import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import type { ActivityEvent } from '../../api/activity';
import { ada, answer, ok, refusal } from '../../testing/api';
import { type FailedCall, failures, unauthenticated } from '../../testing/responses';
import { expectLink, openSite } from '../../testing/site';
import './activity';
import '../settings/settings';

const { activity, answer: message, devices } = words;
const NOT_ME = 'That wasn’t me: Firefox · Windows';

const event = (id: string, kind: ActivityEvent['kind'], more: Partial<ActivityEvent> = {}) => ({
  id,
  kind,
  at: new Date(Date.now() - 60_000).toISOString(),
  device: 'Firefox · Windows',
  network: '203.0.113.0/24',
  current: false,
  actor: 'self',
  details: {},
  ...more,
});
const listOf = (events: object[], next: string | null = null) => ok({ events, next });

async function open(...events: object[]) {
  answer('get', '/activity', () => listOf(events));
  const user = await openSite('/activity');
  await screen.findAllByRole('listitem');
  return user;
}

const entry = (title: string) => screen.getByText(title).closest('li') as HTMLElement;

test('each event is a sentence with its time and device', async () => {
  await open(event('1', 'signed_in', { current: true }), event('2', 'password_changed'));
  const signedIn = entry(activity.signed_in);
  expect(signedIn).toHaveTextContent(/\d:\d\d.* · Firefox · Windows/);
  expect(signedIn).not.toHaveTextContent('203.0.113.0/24');
  expect(signedIn).toHaveTextContent(devices.current);
  expect(entry(activity.password_changed)).not.toHaveTextContent(devices.current);
});

test('the events are grouped by day, with a way back above them', async () => {
  const at = (day: number, hour: number) => ({ at: new Date(2026, 0, day, hour).toISOString() });
  await open(
    event('1', 'signed_in', at(2, 9)),
    event('2', 'password_changed', at(2, 1)),
    event('3', 'signed_in', at(1, 23)),
  );
  const eventsOf = (day: string) =>
    within(screen.getByRole('region', { name: day })).getAllByRole('listitem').length;
  expect(eventsOf('January 2, 2026')).toBe(2);
  expect(eventsOf('January 1, 2026')).toBe(1);
  expectLink(words.security.back, '/account/settings/security');
});

test('a stopped reset of two-step verification is one entry, which names its request', async () => {
  const kinds = ['requested', 'cancelled', 'requested'] as const;
  await open(
    ...kinds.map((step, index) =>
      event(String(index), `second_factor_reset_${step}`, { device: `Device ${index}` }),
    ),
  );
  const entries = screen.getAllByRole('listitem');
  expect(entries).toHaveLength(2);
  expect(entries[0]).toHaveTextContent(activity.second_factor_reset_requested);
  expect(entries[0]).toHaveTextContent('Device 0');
  const stopped = entry(activity.second_factor_reset_cancelled);
  expect(stopped).toHaveTextContent('Device 1');
  expect(stopped).toHaveTextContent(
    new RegExp(`${activity.second_factor_reset_requested} · .*\\d:\\d\\d.* · Device 2`),
  );
});

test('an event without device has only its time', async () => {
  await open(event('1', 'deletion_cancelled', { device: null, network: null }));
  expect(entry(activity.deletion_cancelled)).not.toHaveTextContent('·');
});

test('only a sign-in can be disowned, and its button names it', async () => {
  await open(
    event('1', 'signed_in'),
    event('2', 'sign_in_blocked'),
    event('3', 'app_signed_in'),
    event('4', 'passkey_added'),
  );
  const buttons = screen.getAllByRole('button', { name: NOT_ME });
  expect(buttons).toHaveLength(3);
  expect(buttons[1]).toHaveAccessibleDescription(activity.sign_in_blocked);
  expect(within(entry(activity.passkey_added)).queryByRole('button')).not.toBeInTheDocument();
});

test('the sign-in of this session cannot be disowned, an earlier one in this browser can', async () => {
  const here = { current: true };
  await open(
    event('1', 'app_signed_in', here),
    event('2', 'signed_in'),
    event('3', 'signed_in', here),
    event('4', 'signed_in', here),
  );
  const buttonsOf = (item: HTMLElement) =>
    within(item).queryAllByRole('button', { name: NOT_ME }).length;
  expect(screen.getAllByRole('listitem').map(buttonsOf)).toEqual([1, 1, 0, 1]);
});

test('an empty list is shown as a sentence', async () => {
  answer('get', '/activity', () => listOf([]));
  await openSite('/activity');
  expect(await screen.findByText(activity.empty)).toBeVisible();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
});

/** Opens the activity of an account that has a second page of events. Returns the button that loads this page. */
async function openFirstPart() {
  answer('get', '/activity', () => listOf([event('1', 'signed_in')], '1'));
  const user = await openSite('/activity');
  return { user, more: await screen.findByRole('button', { name: activity.more }) };
}

test('the next page is appended, and the last page has no button', async () => {
  const { user, more } = await openFirstPart();
  const calls = answer('get', '/activity', () => listOf([event('2', 'password_changed')]));
  await user.click(more);
  expect(await screen.findByText(activity.password_changed)).toBeVisible();
  expect(screen.getByText(activity.signed_in)).toBeVisible();
  expect(screen.queryByRole('button', { name: activity.more })).not.toBeInTheDocument();
  expect(screen.getByRole('region').parentElement).toHaveFocus();
  expect(calls.map(({ url }) => url.search)).toEqual(['?before=1']);
});

test.each(failures(activity.load_failed))(
  'a failed next page shows an error and can be requested again',
  async (fail, sentence) => {
    const { user, more } = await openFirstPart();
    answer('get', '/activity', fail);
    await user.click(more);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(sentence);
    await waitFor(() => expect(alert).toHaveFocus());
    expect(screen.getByText(activity.signed_in)).toBeVisible();
    answer('get', '/activity', () => listOf([event('2', 'password_changed')]));
    await user.click(more);
    expect(await screen.findByText(activity.password_changed)).toBeVisible();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  },
);

/** Opens the activity with one blocked sign-in, and clicks "That wasn't me". */
async function openQuestion(more: Partial<ActivityEvent> = {}) {
  const user = await open(event('1', 'sign_in_blocked', more));
  await user.click(screen.getByRole('button', { name: NOT_ME }));
  const question = screen.getByRole('dialog', { name: 'Sign out Firefox · Windows?' });
  return { user, question };
}

/** Reports the only event with "That wasn't me", and confirms the question. */
async function disown(more: Partial<ActivityEvent> = {}) {
  const { user, question } = await openQuestion(more);
  await user.click(within(question).getByRole('button', { name: activity.not_me_submit }));
  return user;
}

test('a cancelled question disowns nothing', async () => {
  const calls = answer('post', '/activity/1/not-me', () => ok({ message: 'done' }));
  const { user, question } = await openQuestion();
  expect(question).toHaveAccessibleDescription(activity.not_me_text);
  await user.click(within(question).getByRole('button', { name: words.settings.cancel }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: NOT_ME })).toBeVisible();
  expect(calls).toHaveLength(0);
});

test('disowning this browser leads to the sign-in, which says so', async () => {
  answer('post', '/activity/1/not-me', () => ok({ message: 'done' }));
  const { user, question } = await openQuestion({ current: true });
  expect(question).toHaveAccessibleDescription(activity.not_me_here);
  answer('get', '/users/me', unauthenticated);
  await user.click(within(question).getByRole('button', { name: activity.not_me_submit }));
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Sign in');
  expect(screen.getByRole('status')).toHaveTextContent(message.sign_in_disowned);
  expect(location.pathname).toBe('/account/');
  // After the sign-in the password form opens. A reload does not show the notice again.
  expect(history.state).toEqual({ page: '/account/settings?change=password' });
});

test('a disowned sign-in redirects to the password form', async () => {
  const calls = answer('post', '/activity/1/not-me', () => ok({ message: 'done' }));
  answer('get', '/users/me', () => ok(ada));
  await disown();
  expect(await screen.findByRole('status')).toHaveTextContent(message.sign_in_disowned);
  // A reload or a return does not show the notice again.
  expect(history.state).not.toHaveProperty('disowned');
  expect(location.pathname).toBe('/account/settings');
  expect(screen.getByLabelText('Current password')).toBeVisible();
  expect(calls).toHaveLength(1);
});

test.each<FailedCall>([
  [() => refusal(404, 'not_found', 'It is gone already.'), 'It is gone already.'],
  ...failures(activity.not_me_failed),
])('a sign-in that cannot be disowned keeps its button', async (fail, sentence) => {
  answer('post', '/activity/1/not-me', fail);
  await disown();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  expect(entry(activity.sign_in_blocked)).toContainElement(alert);
  await waitFor(() => expect(alert).toHaveFocus());
  expect(screen.getByRole('button', { name: NOT_ME })).not.toHaveAttribute('aria-disabled');
});
