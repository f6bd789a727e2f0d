import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, ok, pendingResponse, refusal } from '../../testing/api';
import { failures, unauthenticated } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './data';

const { data, common } = words;
const chosen = (consent: boolean) => ok({ aal: 1, passkeys: 0, marketing_consent: consent });

/** Opens the data screen of a user who has agreed to the newsletter (`consent`) or has not. */
async function open(consent: boolean) {
  answer('get', '/security', () => chosen(consent));
  const user = await openSite('/settings/data');
  const region = within(await screen.findByRole('region', { name: data.newsletter }));
  const box = await region.findByRole('switch', { name: data.newsletter_choice });
  return { user, region, box };
}

test('the security of the account is requested once, and the sections appear with it', async () => {
  const answered = pendingResponse();
  const calls = answer('get', '/security', () => answered.response);
  await openSite('/settings/data');
  expect(screen.getByText(common.loading, { selector: 'p' })).toBeVisible();
  expect(screen.queryByRole('region')).not.toBeInTheDocument();
  answered.arrive(chosen(true));
  expect(await screen.findAllByRole('region')).toHaveLength(3);
  expect(calls).toHaveLength(1);
});

test.each([true, false])('the switch shows the choice (%s)', async (consent) => {
  const { box } = await open(consent);
  expect((box as HTMLInputElement).checked).toBe(consent);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(data.title);
  expect(screen.getByRole('link', { name: data.title })).toHaveAttribute('aria-current', 'page');
});

test.each([
  [true, data.newsletter_given],
  [false, data.newsletter_withdrawn],
])('a choice (%s) is saved at once and confirmed', async (consent, sentence) => {
  const { user, box } = await open(!consent);
  const calls = answer('put', '/marketing-consent', () => ok({ consent }));
  await user.click(box);
  expect(await screen.findByRole('status')).toHaveTextContent(sentence);
  expect((box as HTMLInputElement).checked).toBe(consent);
  expect(calls.map(({ body }) => body)).toEqual([{ consent }]);
});

test('while a choice is saved, the switch shows it and ignores input', async () => {
  const { user, box } = await open(false);
  const request = pendingResponse();
  const calls = answer('put', '/marketing-consent', () => request.response);
  await user.click(box);
  expect(box).toBeChecked();
  expect(box).toHaveAttribute('aria-disabled', 'true');
  await user.click(box);
  expect(box).toBeChecked();
  request.arrive(ok({ consent: true }));
  await waitFor(() => expect(box).not.toHaveAttribute('aria-disabled'));
  expect(box).toBeChecked();
  expect(box).toHaveFocus();
  expect(calls).toHaveLength(1);
});

test.each(failures(data.newsletter_failed))(
  'a choice that cannot be saved is reverted',
  async (fail, sentence) => {
    const { user, box } = await open(false);
    answer('put', '/marketing-consent', fail);
    await user.click(box);
    expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
    expect(box).not.toBeChecked();
    answer('put', '/marketing-consent', () => ok({ consent: true }));
    await user.click(box);
    expect(await screen.findByRole('status')).toHaveTextContent(data.newsletter_given);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  },
);

test('a choice that failed to load can be loaded again', async () => {
  answer('get', '/security', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/settings/data');
  expect(await screen.findByRole('alert')).toHaveTextContent(data.newsletter_load_failed);
  expect(screen.queryByRole('switch')).not.toBeInTheDocument();
  answer('get', '/security', () => chosen(true));
  await user.click(screen.getByRole('button', { name: common.try_again }));
  expect(await screen.findByRole('switch')).toBeChecked();
});

test('a choice after the session ended redirects to the sign-in', async () => {
  const { user, box } = await open(false);
  answer('put', '/marketing-consent', unauthenticated);
  const sessions = answer('get', '/users/me', unauthenticated);
  await user.click(box);
  await waitFor(() => expect(location.pathname).toBe('/account/'));
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible(),
  );
  // The sign-in screen does not request the session, because the session is known to have ended.
  expect(sessions).toHaveLength(0);
});
