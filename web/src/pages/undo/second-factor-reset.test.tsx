import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok } from '../../testing/api';
import { expectLink, openSite } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './second-factor-reset';

test('the mailed link turns the second factor off after a click and redirects to the sign-in', async () => {
  const calls = answer('post', '/second-factor/reset/confirm', () => ok({}));
  const user = await openSite('/second-factor-reset?token=secret');
  expect(location.search).toBe('');
  const submit = await screen.findByRole('button', { name: 'Turn off two-step verification' });
  expect(calls).toHaveLength(0);
  await user.click(submit);
  expect(
    await screen.findByRole('heading', { level: 1, name: 'Your password is enough now' }),
  ).toBeVisible();
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'secret' }]);
  expectLink('Go to sign in', '/account/');
  expect(history.state.link).toEqual({});
});
