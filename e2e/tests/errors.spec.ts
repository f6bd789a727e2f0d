import { expect, test } from '../fixtures.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { newPerson } from '../site/accounts.ts';
import { words } from '../words.ts';

const { error, sign_in } = words.en;

test('sign-in has one message for every failure and stays usable', async ({
  page,
  member,
  expectAccessible,
}) => {
  const signIn = signInScreen(page);
  await signIn.open();
  const tries = [
    { email: '', password: '' },
    { email: 'no address', password: member.password },
    { email: member.email, password: 'abc' },
    { email: member.email, password: 'Wrong-Couch-42' },
    { email: newPerson().email, password: member.password },
  ];
  for (const attempt of tries) {
    await signIn.signIn(attempt);
    await expect(signIn.alert).toContainText(error.invalid_credentials);
    await expect(signIn.submit).toBeEnabled();
    await page.reload();
  }
  await signIn.signIn({ email: member.email, password: 'Wrong-Couch-42' });
  await expect(signIn.alert).toContainText(error.invalid_credentials);
  await expect(page.getByRole('link', { name: sign_in.move })).toBeVisible();
  await expectAccessible(page);
});
