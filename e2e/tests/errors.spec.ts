import { expect, test } from '../fixtures.ts';
import { expectFieldError } from '../helpers/field-error.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { API, newPerson } from '../site/accounts.ts';
import { words } from '../words.ts';

for (const language of ['en', 'es'] as const) {
  const { error, sign_in } = words[language];

  test.describe(`errors in ${language}`, () => {
    test('sign-in has one message for every failure and stays usable', async ({
      page,
      member,
      expectAccessible,
    }) => {
      const signIn = signInScreen(page, words[language]);
      await page.goto(`/account/?lang=${language}`);
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

    test('errors of the server are also shown at their fields', async ({ page, member }) => {
      const signUp = signUpScreen(page, words[language]);
      await page.goto(`/account/signup?lang=${language}`);
      await signUp.fill({ ...newPerson(), username: member.username.toUpperCase() });
      await signUp.submit.click();
      await expectFieldError(signUp.username, error.username_in_use);
      await signUp.fill({ ...newPerson(), email: member.email });
      await signUp.submit.click();
      await expectFieldError(signUp.email, error.account_exists);
    });
  });
}

test('after three birthdays under the minimum age no other birthday is accepted', async ({
  page,
  person,
}) => {
  const signUp = signUpScreen(page);
  await signUp.open();
  const young = String(new Date().getUTCFullYear() - 10);
  await signUp.fill(person, { day: '7', month: '4', year: young });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await signUp.submit.click();
    await expectFieldError(signUp.day, words.en.error.underage);
  }
  await signUp.year.selectOption('1989');
  await signUp.submit.click();
  await expectFieldError(signUp.day, words.en.error.underage);

  // The count is in a cookie, so a reload does not reset it.
  await expect
    .poll(async () => (await page.request.get(`${API}/age-refusals`)).json())
    .toEqual({ blocked: true });
  await signUp.open();
  await signUp.fill(person);
  await signUp.submit.click();
  await expectFieldError(signUp.day, words.en.error.underage);
});
