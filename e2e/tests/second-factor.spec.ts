import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn } from '../helpers/keys.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import {
  codeStepScreen,
  proofDialog,
  turnOnSecondFactor,
  twoStepScreen,
} from '../screens/second-factor.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import {
  API,
  addSecondFactor,
  join,
  newPerson,
  type Person,
  signInByApi,
} from '../site/accounts.ts';
import { codeOf } from '../site/totp.ts';
import { fill, words } from '../words.ts';

const { activity, answer, common, error, second_factor, sign_in } = words.en;

test.beforeEach(async ({ page }) => {
  await declineOffer(page);
});

/** Signs out, and signs in again with the password in the same browser. */
async function signInAgain(page: Page, person: Person): Promise<void> {
  await page.context().request.post(`${API}/logout`);
  const signIn = signInScreen(page);
  await signIn.open();
  await signIn.signIn(person);
}

test('two-step verification is turned on, required at sign-in, and turned off', {
  tag: '@postgres',
}, async ({ page, signedIn, expectAccessible }) => {
  const twoStep = twoStepScreen(page);
  const codeStep = codeStepScreen(page);
  const settings = settingsScreen(page);
  await twoStep.open();
  await twoStep.turnOn.click();
  await expect(twoStep.qrCode).toBeVisible();
  await expectAccessible(page);
  const secret = (await twoStep.key.textContent()) ?? '';
  await twoStep.code.fill('000000');
  await twoStep.code.press('Enter');
  await expect(page.getByText(error.code_invalid)).toBeVisible();
  const code = codeOf(secret);
  await twoStep.code.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await twoStep.code.press('Enter');
  await expect(twoStep.codes).toHaveCount(10);
  await expectAccessible(page);
  const [spare = ''] = await twoStep.codes.allInnerTexts();
  await twoStep.saved.click();
  await expect(twoStep.region).toContainText(fill(second_factor.codes_left_other, { count: 10 }));

  await signInAgain(page, signedIn);
  await expect(codeStep.code).toBeFocused();
  await expectAccessible(page);
  await codeStep.code.fill('000000');
  await codeStep.submit.click();
  await expect(page.getByText(error.code_invalid)).toBeVisible();
  await codeStep.code.fill(codeOf(secret, 1));
  await codeStep.trust.check();
  await codeStep.code.press('Enter');
  await expect(settings.main).toContainText(signedIn.email);

  // No code is required, because the browser is trusted now.
  await signInAgain(page, signedIn);
  await expect(settings.main).toContainText(signedIn.email);

  // A trusted device is no proof of identity: turning the second factor off also requires a code.
  await twoStep.open();
  await twoStep.turnOff.click();
  const question = page.getByRole('dialog', { name: second_factor.off_title, exact: true });
  await question.getByRole('button', { name: second_factor.turn_off, exact: true }).click();
  const proof = proofDialog(page);
  await expect(proof.password).toBeFocused();
  await expectAccessible(page);
  await proof.prove(signedIn.password, spare);
  await expect(page.getByRole('status')).toContainText(second_factor.turned_off);
  await expect(twoStep.turnOn).toBeVisible();

  await signInAgain(page, signedIn);
  await expect(settings.main).toContainText(signedIn.email);
});

test('a recovery code signs in once, and new ones replace the old', async ({ page, signedIn }) => {
  const twoStep = twoStepScreen(page);
  const codeStep = codeStepScreen(page);
  const settings = settingsScreen(page);
  const { codes } = await addSecondFactor(page.context());
  const [first = '', second = ''] = codes;

  await signInAgain(page, signedIn);
  await codeStep.useRecoveryCode.click();
  await expect(codeStep.recoveryCode).toBeFocused();
  await codeStep.recoveryCode.fill(first.toLowerCase());
  await codeStep.recoveryCode.press('Enter');
  await expect(settings.main).toContainText(signedIn.email);
  await twoStep.open();
  await expect(twoStep.region).toContainText(fill(second_factor.codes_left_other, { count: 9 }));

  // A reload discards the new codes that were not confirmed as saved. The old codes stay valid.
  await twoStep.newCodes.click();
  await twoStep.replaceCodes.click();
  await expect(twoStep.codesHeading).toBeVisible();
  const [lost = ''] = await twoStep.codes.allInnerTexts();
  const leaving = page.waitForEvent('dialog').then((dialog) => dialog.accept());
  await Promise.all([leaving, page.reload()]);
  await expect(twoStep.region).toContainText(fill(second_factor.codes_left_other, { count: 9 }));

  await pressEnterOn(page, twoStep.newCodes);
  await pressEnterOn(page, twoStep.replaceCodes);
  await expect(twoStep.codesHeading).toBeFocused();
  const [replaced = ''] = await twoStep.codes.allInnerTexts();
  await pressEnterOn(page, twoStep.saved);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(twoStep.region).toContainText(second_factor.codes_replaced);
  await expect(twoStep.region).toContainText(fill(second_factor.codes_left_other, { count: 10 }));

  await signInAgain(page, signedIn);
  await codeStep.useRecoveryCode.click();
  for (const old of [first, second, lost]) {
    await codeStep.recoveryCode.fill(old);
    await codeStep.recoveryCode.press('Enter');
    await expect(codeStep.recoveryCode).toHaveAccessibleDescription(
      new RegExp(sign_in.recovery_refused),
    );
  }
  await codeStep.recoveryCode.fill(replaced);
  await codeStep.recoveryCode.press('Enter');
  await expect(settings.main).toContainText(signedIn.email);
});

test('the recovery codes are saved as a file, and printed without anything else', async ({
  page,
  signedIn: _owner,
}) => {
  const twoStep = twoStepScreen(page);
  const codes = await turnOnSecondFactor(page);
  const [file] = await Promise.all([page.waitForEvent('download'), twoStep.download.click()]);
  expect(file.suggestedFilename()).toBe('recovery-codes-localhost.txt');
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain(second_factor.codes_title);
  expect(text).toContain(codes.join('\n'));

  await page.emulateMedia({ media: 'print' });
  const printed = await page.locator('body').innerText();
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  expect(lines).toEqual([second_factor.codes_title, 'Account', ...codes]);
});

test('a reset requested without codes is cancelled by the owner', async ({
  page,
  signedIn,
  newBrowser,
  expectAccessible,
}) => {
  const { secret } = await addSecondFactor(page.context());
  const thief = await (await newBrowser()).newPage();
  const signIn = signInScreen(thief);
  await signIn.open();
  await signIn.signIn(signedIn);
  await codeStepScreen(thief).requestReset();
  await expect(thief.getByRole('heading', { level: 1, name: sign_in.reset_title })).toBeVisible();
  await expectAccessible(thief);

  const settings = settingsScreen(page);
  await settings.open();
  const banner = page.getByRole('region', {
    name: activity.second_factor_reset_requested,
    exact: true,
  });
  await expect(banner).toBeVisible();
  await expectAccessible(page);
  await banner.getByRole('button', { name: second_factor.keep, exact: true }).click();
  await proofDialog(page).prove(signedIn.password, codeOf(secret, 1));
  await expect(settings.status).toContainText(second_factor.kept);
  await settings.open();
  await expect(settings.main).toContainText(signedIn.email);
  await expect(banner).toHaveCount(0);
});

test('after the waiting period the mailed link turns two-step verification off', async ({
  browser,
  startOwnSite,
}) => {
  const site = await startOwnSite({ ACCOUNT_LIFETIMES__SECOND_FACTOR_RESET: '1s' });
  const person = newPerson();
  await join(site, person);
  const context = await browser.newContext({ baseURL: site.origin });
  const page = await context.newPage();
  await declineOffer(page);
  const signIn = signInScreen(page);
  const settings = settingsScreen(page);
  await signInByApi(context, person);
  await addSecondFactor(context);
  await signInAgain(page, person);
  await codeStepScreen(page).requestReset();
  await expect(page.getByRole('heading', { level: 1, name: sign_in.reset_title })).toBeVisible();

  for (const path of ['/account/undo', '/account/undo', '/account/undo']) {
    await site.mailbox.link(person.email, path);
  }
  await page.goto(await site.mailbox.link(person.email, '/account/second-factor-reset'));
  await page.getByRole('button', { name: second_factor.reset_submit, exact: true }).click();
  await expect(page.getByRole('status')).toContainText(answer.second_factor_off);
  await page.getByRole('link', { name: common.go_to_sign_in, exact: true }).click();
  await signIn.signIn(person);
  await expect(settings.main).toContainText(person.email);
  await context.close();
});
