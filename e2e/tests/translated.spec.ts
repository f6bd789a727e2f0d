import { translateDocument } from '../../web/src/testing/translator.ts';
import { expect, test } from '../fixtures.ts';
import { requestPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { words } from '../words.ts';

const { common, sign_in } = words.en;

// The guard fails for exceptions of the page. `web/src/translated.test.tsx` covers all states of the screens.
test('a person joins, signs in and out, and asks for a link, in a translated page', async ({
  page,
  member,
}) => {
  await page.addInitScript(translateDocument);
  const signUp = signUpScreen(page);
  await signUp.open();
  await signUp.password.fill('Sunny');
  await expect(page.getByText(common.rules_title, { exact: true })).toBeVisible();
  await signUp.password.fill('Sunny-Couch-42');
  await expect(page.getByText(common.rules_fit, { exact: true })).toBeVisible();
  await signUp.password.fill('Sunny');
  await expect(page.getByText(common.rules_title, { exact: true })).toBeVisible();

  const signIn = signInScreen(page);
  await signIn.open();
  await signIn.signIn({ email: member.email, password: 'wrong' });
  await expect(signIn.alert).toContainText(words.en.error.invalid_credentials);
  await signIn.signIn(member);
  const settings = settingsScreen(page);
  await expect(settings.heading).toBeVisible();
  await settings.signOut.click();
  await expect(signIn.status).toContainText(sign_in.signed_out);

  await signIn.forgot.click();
  await requestPasswordScreen(page).ask(member.email);
  await expect(page.getByRole('heading', { level: 1, name: common.check_email })).toBeVisible();
});
