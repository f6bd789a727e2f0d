import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, signInByKeyboard, typeInto } from '../helpers/keys.ts';
import { requestPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { register } from '../site/accounts.ts';
import { words } from '../words.ts';

test.use(computer);

const { answer, email_verification, sign_in } = words.en;

/** The delay of the redirect after a verification, as in `verify-email.tsx`. */
const REDIRECT_DELAY_MS = 3000;

test('an unverified person gets the link again, and its result survives a reload', async ({
  page,
  site,
  person,
}) => {
  const nextLink = () => site.mailbox.link(person.email, '/account/verify-email');
  await register(site, person);
  await nextLink();
  await page.clock.install();
  const signIn = signInScreen(page);
  await signIn.open();
  await signInByKeyboard(page, person);
  await expect(signIn.status).toContainText(words.en.error.email_not_verified);
  await expect(signIn.alert).toHaveCount(0);
  await nextLink();
  await pressEnterOn(page, page.getByRole('button', { name: email_verification.resend }));
  await expect(signIn.status).toContainText(answer.verification_sent);

  const verify = verifyEmailScreen(page);
  await page.goto(await nextLink());
  await expect(verify.status).toContainText(answer.email_verified);
  await page.reload();
  await expect(verify.status).toContainText(answer.email_verified);
  await page.clock.fastForward(REDIRECT_DELAY_MS);
  await expect(signIn.heading).toBeFocused();
  await expect(signIn.status).toContainText(answer.email_verified);
});

test('the address of an open registration stands in the sign-in after its mailed link', async ({
  page,
  context,
  person,
  mailbox,
}) => {
  const signUp = signUpScreen(page);
  await signUp.open();
  await signUp.fill(person);
  await pressEnterOn(page, signUp.submit);
  await expect(signUp.done).toBeFocused();

  const mailed = await context.newPage();
  await mailed.clock.install();
  await mailed.goto(await mailbox.link(person.email, '/account/verify-email'));
  await expect(verifyEmailScreen(mailed).status).toContainText(answer.email_verified);
  await mailed.clock.fastForward(REDIRECT_DELAY_MS);
  for (const tab of [mailed, page]) {
    const signIn = signInScreen(tab);
    await expect(signIn.heading).toBeFocused();
    await expect(signIn.status).toContainText(answer.email_verified);
    await expect(signIn.email).toHaveValue(person.email);
  }
});

test('the address of the sign-in stands in the next forms', async ({ page, member }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await typeInto(page, signIn.email, member.email);
  await pressEnterOn(page, signIn.forgot);
  await expect(requestPasswordScreen(page).email).toHaveValue(member.email);
  await page.goBack();
  await expect(signIn.email).toHaveValue(member.email);
  await pressEnterOn(page, signIn.create);
  await expect(signUpScreen(page).email).toHaveValue(member.email);
});

test('a sign-in after the end of the session returns to the open screen', async ({
  page,
  context,
  signedIn,
}) => {
  // The screen has asked for everything before the session ends, so that only the press below finds the end.
  await page.goto('/account/settings', { waitUntil: 'networkidle' });
  await expect(settingsScreen(page).main).toContainText(signedIn.email);
  await context.request.post('/account/account-api/logout');
  await pressEnterOn(page, page.getByRole('link', { name: words.en.data.title, exact: true }));
  const signIn = signInScreen(page);
  await expect(signIn.status).toHaveText(sign_in.session_ended);
  await signInByKeyboard(page, signedIn);
  await expect(page.getByRole('heading', { level: 1, name: words.en.data.title })).toBeVisible();
  await expect(page).toHaveURL('/account/settings/data');
});
