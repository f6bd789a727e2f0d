import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { eachStep } from '../helpers/each-step.ts';
import { STORIES, storyOf, visit } from '../helpers/gallery.ts';
import { translatePages } from '../helpers/translator.ts';
import { requestPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { words } from '../words.ts';

const { common, shell, sign_in } = words.en;
/** The state whose screen fails on purpose. */
const BROKEN = storyOf('shell', 'error');
const screens = [...new Set(STORIES.map(({ screen }) => screen))];

// The guard is off, because the fake servers return errors, which the screens log to the console.
test.use({ guarded: false });

for (const screen of screens) {
  const stories = STORIES.filter((story) => story.screen === screen);

  test(`every state of ${screen} and its buttons work while the browser translates the page`, async ({
    page,
  }) => {
    test.setTimeout(60_000 + stories.length * 5_000);
    await translatePages(page);
    const thrown: string[] = [];
    page.on('pageerror', (error) => thrown.push(error.message));
    await eachStep(
      stories,
      (story) => story.name,
      async (story) => {
        await visit(page, story);
        await pressButtons(page);
        // A pressed button may have saved a choice, for example "Not now" to a passkey.
        await page.context().clearCookies();
        expect(thrown.splice(0)).toEqual([]);
        if (story === BROKEN) return;
        await expect(page.getByRole('heading', { name: shell.error_title })).toHaveCount(0);
      },
    );
  });
}

/** Presses each button that the state shows, and waits until the page is painted after each press. */
async function pressButtons(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (const button of document.querySelectorAll<HTMLElement>('main button')) {
      if (!button.checkVisibility()) continue;
      button.click();
      await frame();
      await frame();
    }
  });
}

test('a person joins, signs in and out, and asks for a link, in a translated page', async ({
  page,
  member,
}) => {
  await translatePages(page);
  const thrown: string[] = [];
  page.on('pageerror', (error) => thrown.push(error.message));
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
  expect(thrown).toEqual([]);
});
