import type { Locator, Page } from '@playwright/test';
import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, signInByKeyboard, tabTo, typeInto } from '../helpers/keys.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { codeStepScreen, turnOnSecondFactor, twoStepScreen } from '../screens/second-factor.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, addSecondFactor, type Person } from '../site/accounts.ts';
import { codeOf } from '../site/totp.ts';
import { words } from '../words.ts';

test.use(computer);

test.beforeEach(async ({ page }) => {
  await declineOffer(page);
});

const { activity, answer, common, second_factor, security, sign_in } = words.en;

/** Signs out, and signs in again in the same browser. */
async function signInAgain(page: Page, person: Person): Promise<void> {
  await page.context().request.post(`${API}/logout`);
  await signInScreen(page).open();
  await signInByKeyboard(page, person);
}

/** Opens the question of a button, closes it by Escape, and opens it again. */
async function askTwice(page: Page, button: Locator): Promise<void> {
  const question = page.getByRole('dialog');
  await pressEnterOn(page, button);
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(question).toBeVisible();
}

test('a step back asks before the first recovery codes are lost', async ({
  page,
  signedIn: _owner,
}) => {
  const twoStep = twoStepScreen(page);
  await turnOnSecondFactor(page);
  const questions: string[] = [];
  let isLeaving = false;
  page.on('dialog', async (dialog) => {
    questions.push(dialog.message());
    await (isLeaving ? dialog.accept() : dialog.dismiss());
  });
  await page.goBack();
  await expect.poll(() => questions).toEqual([second_factor.codes_leave]);
  await expect(twoStep.codesHeading).toBeVisible();
  isLeaving = true;
  await page.goBack();
  const heading = page.getByRole('heading', { level: 1, name: security.title, exact: true });
  await expect(heading).toBeVisible();
  expect(questions).toHaveLength(2);
});

test('a step back after the first recovery codes does not open the set-up again', async ({
  page,
  signedIn: _owner,
}) => {
  const twoStep = twoStepScreen(page);
  await turnOnSecondFactor(page);
  await pressEnterOn(page, twoStep.saved);
  const heading = page.getByRole('heading', { level: 1, name: security.title, exact: true });
  await expect(heading).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/settings\/security$/);
  await expect(heading).toBeVisible();
});

test('without a code the other ways, and the way back, are found by keyboard alone', async ({
  page,
  signedIn,
}) => {
  const { codes } = await addSecondFactor(page.context());
  const codeStep = codeStepScreen(page);
  const signIn = signInScreen(page);
  await signInAgain(page, signedIn);
  await expect(codeStep.code).toBeFocused();
  await pressEnterOn(page, codeStep.lostCodes);
  await expect(codeStep.noCodeHeading).toBeFocused();
  await page.goBack();
  await expect(codeStep.code).toBeFocused();
  await page.goBack();
  await expect(signIn.heading).toBeFocused();

  await pressEnterOn(page, signIn.submit);
  await expect(codeStep.code).toBeFocused();
  await pressEnterOn(page, codeStep.lostCodes);
  await pressEnterOn(page, codeStep.startReset);
  await expect(
    page.getByRole('heading', { level: 1, name: sign_in.reset_title, exact: true }),
  ).toBeFocused();
  await page.reload();
  await expect(
    page.getByRole('heading', { level: 1, name: sign_in.reset_title, exact: true }),
  ).toBeVisible();
  await pressEnterOn(page, page.getByRole('link', { name: common.go_to_sign_in }));
  await expect(signIn.heading).toBeFocused();

  await signInByKeyboard(page, signedIn);
  await expect(codeStep.code).toBeFocused();
  await pressEnterOn(page, codeStep.back);
  await expect(signIn.heading).toBeFocused();
  await pressEnterOn(page, signIn.submit);
  await pressEnterOn(page, codeStep.lostCodes);
  await pressEnterOn(page, codeStep.useRecoveryCode);
  await expect(codeStep.recoveryCode).toBeFocused();
  await page.keyboard.type(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await expect(settingsScreen(page).main).toContainText(signedIn.email);
});

test('sign-ins are disowned by keyboard alone', async ({ page, signedIn, newBrowser }) => {
  await signInAgain(page, signedIn);
  const settings = settingsScreen(page);
  await expect(settings.main).toContainText(signedIn.email);
  const thief = await newBrowser();
  const { email, password } = signedIn;
  await thief.request.post(`${API}/login`, { data: { email, password } });

  const notMe = page.getByRole('button', { name: activity.not_me });
  const submit = page.getByRole('dialog').getByRole('button', {
    name: activity.not_me_submit,
    exact: true,
  });
  await page.goto('/account/activity');
  // The sign-in of this session has no button; the earlier one in this browser has one.
  await expect(notMe).toHaveCount(2);
  await askTwice(page, notMe.first());
  await pressEnterOn(page, submit);
  await expect(settings.status).toContainText(answer.sign_in_disowned);
  await expect(settings.currentPassword).toBeVisible();

  await page.goto('/account/activity');
  await tabTo(page, notMe.last());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText(activity.not_me_here);
  await pressEnterOn(page, submit);
  const signIn = signInScreen(page);
  await expect(signIn.heading).toBeFocused();
  await expect(page.getByRole('status')).toContainText(answer.sign_in_disowned);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });

  test('the set-up opens the app, and survives a reload, by keyboard alone', async ({
    page,
    signedIn: _owner,
    expectAccessible,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const twoStep = twoStepScreen(page);
    await twoStep.open();
    await pressEnterOn(page, twoStep.turnOn);
    await expect(twoStep.setUp).toBeFocused();
    const key = (await twoStep.key.textContent()) ?? '';
    await tabTo(page, twoStep.openApp);
    await expect(twoStep.openApp).toHaveAttribute('href', /^otpauth:\/\/totp\//);
    await expect(twoStep.qrCode).toBeHidden();
    await pressEnterOn(page, twoStep.showQrCode);
    await expect(twoStep.qrCode).toBeVisible();
    await expectAccessible(page);

    await page.reload();
    await expect(twoStep.key).toHaveText(key);
    await pressEnterOn(page, twoStep.copyKey);
    await expect(page.getByRole('button', { name: second_factor.copied })).toBeFocused();
    await typeInto(page, twoStep.code, codeOf(key));
    await page.keyboard.press('Enter');
    await expect(twoStep.codesHeading).toBeFocused();
  });
});
