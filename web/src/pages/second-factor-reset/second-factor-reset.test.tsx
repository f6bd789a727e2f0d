import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok, refusal } from '../../testing/api';
import { expectLink, openSite, spentLink } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './second-factor-reset';

const path = '/second-factor-reset';
const button = () => screen.findByRole('button', { name: 'Turn off two-step verification' });

test('the mailed link turns the second factor off after a click and redirects to the sign-in', async () => {
  const calls = answer('post', '/second-factor/reset/confirm', () => ok({}));
  const user = await openSite(`${path}?token=secret`);
  expect(location.search).toBe('');
  const submit = await button();
  expect(calls).toHaveLength(0);
  await user.click(submit);
  expect(
    await screen.findByRole('heading', { level: 1, name: 'Your password is enough now' }),
  ).toBeVisible();
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'secret' }]);
  expectLink('Go to sign in', '/account/');
  expect(history.state.link).toEqual({});
});

test('a used link shows an error and links to the sign-in', async () => {
  answer('post', '/second-factor/reset/confirm', () => refusal(400, 'invalid_token', 'Expired.'));
  const user = await openSite(`${path}?token=secret`);
  await user.click(await button());
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'It was already used, it was stopped, or it’s too old. Sign in',
  );
  expect(spentLink()).toHaveFocus();
  expect(screen.queryByRole('button', { name: /Turn off/ })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to sign in' })).toBeVisible();
});

test('without a link nothing can be turned off', async () => {
  await openSite(path);
  expect(await screen.findByRole('alert')).toHaveTextContent('Invalid or missing link');
  expect(screen.queryByRole('button', { name: /Turn off/ })).not.toBeInTheDocument();
});
