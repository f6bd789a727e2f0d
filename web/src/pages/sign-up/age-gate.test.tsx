import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok } from '../../testing/api';
import { noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './sign-up';

const underageYear = String(new Date().getUTCFullYear() - 10);

async function chooseBirthday(user: Awaited<ReturnType<typeof openSite>>, year: string) {
  const day = await screen.findByLabelText('Day');
  await user.clear(day);
  await user.type(day, '7');
  await user.selectOptions(screen.getByLabelText('Month'), '4');
  await user.selectOptions(screen.getByLabelText('Year'), year);
  await user.click(screen.getByRole('button', { name: 'Create account' }));
}

test('the server counts each refused birthday, without receiving it', async () => {
  const counted = answer('post', '/age-refusals', noContent);
  const user = await openSite('/signup');
  for (let attempt = 0; attempt < 3; attempt += 1) await chooseBirthday(user, underageYear);
  await waitFor(() => expect(counted).toHaveLength(3));
  expect(counted.map((call) => call.body)).toEqual([{}, {}, {}]);
  await chooseBirthday(user, '1990');
  expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(
    'Sorry, your request is invalid',
  );
  expect(screen.getByRole('group')).toHaveAccessibleDescription(
    'You must be 17 or older to register',
  );
  expect(counted).toHaveLength(3);
});

test('after three attempts any birthday is refused, also after a reload', async () => {
  const calls = answer('get', '/age-refusals', () => ok({ blocked: true }));
  const user = await openSite('/signup');
  await waitFor(() => expect(calls).toHaveLength(1));
  await screen.findByLabelText('Day');
  await waitFor(async () => {
    await chooseBirthday(user, '1990');
    expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(
      'Sorry, your request is invalid',
    );
  });
});

test('a birthday above the minimum age is not counted', async () => {
  const counted = answer('post', '/age-refusals', noContent);
  const user = await openSite('/signup');
  await chooseBirthday(user, '1990');
  expect(screen.getByLabelText('Day')).toBeValid();
  expect(counted).toHaveLength(0);
});
