import type { BrowserContext } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, tabTo } from '../helpers/keys.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { API, type Person } from '../site/accounts.ts';
import { words } from '../words.ts';

const PATH = '/account/verify-email';
/** The interval between two checks of a waiting browser, as in `stopped-sign-in.tsx`. */
const POLLING_INTERVAL_MS = 5000;

const here = words.en;

/** Signs in from an unknown browser, and expects that the server refuses the sign-in. */
async function signInElsewhere(context: BrowserContext, person: Person) {
  const other = await context.newPage();
  await other.clock.install();
  const signIn = signInScreen(other);
  await signIn.open();
  await signIn.signIn(person);
  await expect(other.getByText(here.error.new_device)).toBeVisible();
  return { other, signIn };
}

test('an unknown browser signs in after its mailed approval', async ({
  signedIn,
  newBrowser,
  mailbox,
  expectAccessible,
}) => {
  const { other: page, signIn } = await signInElsewhere(await newBrowser(), signedIn);
  await expect(page.getByText(here.error.invalid_credentials)).toBeHidden();
  await expectAccessible(page);

  await page.goto(await mailbox.link(signedIn.email, PATH));
  const verify = verifyEmailScreen(page);
  await expect(verify.status).toContainText(here.answer.device_approved);
  await verify.back.click();
  await signIn.signIn(signedIn);
  await expect(settingsScreen(page).heading).toBeVisible();
});

test('a link opened in another browser asks before it approves, by keyboard alone', async ({
  page,
  signedIn,
  newBrowser,
  mailbox,
  expectAccessible,
}) => {
  const { other } = await signInElsewhere(await newBrowser(), signedIn);
  const focused = other.locator(':focus').getByRole('status');
  await expect(focused).toContainText(here.error.new_device);

  const verify = verifyEmailScreen(page);
  await page.goto(await mailbox.link(signedIn.email, PATH));
  await expect(verify.approve).toBeVisible();
  await expectAccessible(page);
  await tabTo(page, verify.refuse);
  await page.keyboard.press('Shift+Tab');
  await expect(verify.approve).toBeFocused();
  await page.keyboard.press('Enter');
  const [, approved = ''] = here.email_verification.device_elsewhere.split('{{device}}');
  await expect(verify.status).toContainText(approved);

  // The waiting browser signs in by itself.
  await other.clock.fastForward(POLLING_INTERVAL_MS);
  await expect(settingsScreen(other).heading).toBeFocused();
});

test('a refused browser is not signed in, and every other session ends', async ({
  page,
  signedIn,
  newBrowser,
  mailbox,
  expectAccessible,
}) => {
  const { other, signIn } = await signInElsewhere(await newBrowser(), signedIn);

  const phone = await (await newBrowser()).newPage();
  await phone.goto(await mailbox.link(signedIn.email, PATH));
  await verifyEmailScreen(phone).refuse.click();
  await expect(phone.getByText(here.answer.device_refused)).toBeVisible();
  expect((await page.request.get(`${API}/users/me`)).status()).toBe(401);
  // The waiting browser stops waiting by itself.
  await other.clock.fastForward(POLLING_INTERVAL_MS);
  await expect(other.getByText(here.sign_in.not_approved)).toBeVisible();
  await expectAccessible(other);
  await signIn.signIn(signedIn);
  await expect(other.getByText(here.error.new_device)).toBeVisible();
});

test('a second press right after a question opens does not answer it', async ({
  page,
  signedIn: _,
}) => {
  const { devices } = here;
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Animation.enable');
  // The pause of 400 ms is long, so the second press is never late.
  await devTools.send('Animation.setPlaybackRate', { playbackRate: 0.001 });
  await page.goto('/account/settings');
  await page.getByRole('button', { name: devices.sign_out_all }).click();
  const question = page.getByRole('dialog', { name: devices.confirm_title });
  const yes = question.getByRole('button', { name: devices.confirm_yes });
  const box = await yes.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
  await expect(question).toBeVisible();
  // The pause is only for a pointer.
  await pressEnterOn(page, yes);
  await expect(signInScreen(page).heading).toBeVisible();
});
