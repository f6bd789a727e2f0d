import { expect, type Page } from '@playwright/test';
import { codeOf } from '../site/totp.ts';
import { type Words, words } from '../words.ts';

/** The second step of the sign-in. */
export function codeStepScreen(
  page: Page,
  { email_verification, sign_in, second_factor, reauthentication }: Words = words.en,
) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  return {
    heading: heading(sign_in.code_title),
    code: field(second_factor.code),
    recoveryCode: field(second_factor.recovery_code),
    trust: page.getByRole('checkbox'),
    submit: button(reauthentication.submit),
    useRecoveryCode: button(sign_in.use_recovery_code),
    lostCodes: link(sign_in.lost_codes),
    noCodeHeading: heading(sign_in.no_code_title),
    usePasskey: button(sign_in.passkey),
    // The number of days depends on the settings of the site.
    startReset: page.getByRole('main').locator('hr + div [type="submit"]'),
    back: link(email_verification.back),

    /** Starts the reset of the second factor. */
    async requestReset() {
      await this.lostCodes.click();
      await this.startReset.click();
    },
  };
}

/** The region "Two-step verification" of the security screen, and the set-up screen. */
export function twoStepScreen(page: Page, { second_factor }: Words = words.en) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const region = page.getByRole('region', { name: second_factor.title, exact: true });
  return {
    region,
    turnOn: button(second_factor.turn_on),
    turnOff: region.getByRole('button', { name: second_factor.turn_off, exact: true }),
    newCodes: button(second_factor.new_codes),
    replaceCodes: page
      .getByRole('dialog')
      .getByRole('button', { name: second_factor.replace_submit, exact: true }),
    setUp: heading(second_factor.setup_title),
    qrCode: page.getByRole('img', { name: second_factor.qr_code, exact: true }),
    openApp: page.getByRole('link', { name: second_factor.open_app, exact: true }),
    showQrCode: page.getByText(second_factor.show_qr_code, { exact: true }),
    copyKey: button(second_factor.copy_key),
    key: page.getByText(/^(?:[A-Z2-7]{4} ?){8}$/),
    code: page.getByRole('textbox', { name: second_factor.code, exact: true }),
    codesHeading: heading(second_factor.codes_title),
    codes: page.getByRole('main').getByRole('listitem'),
    download: button(second_factor.download),
    saved: button(second_factor.saved),

    async open() {
      await page.goto('/account/settings/security');
    },
  };
}

/** Turns the second factor on in the browser of a signed-in user. Returns the recovery codes, which the screen shows. */
export async function turnOnSecondFactor(page: Page): Promise<string[]> {
  const twoStep = twoStepScreen(page);
  await twoStep.open();
  await twoStep.turnOn.click();
  await expect(twoStep.setUp).toBeVisible();
  const secret = (await twoStep.key.textContent()) ?? '';
  await twoStep.code.fill(codeOf(secret));
  await twoStep.code.press('Enter');
  await expect(twoStep.codesHeading).toBeVisible();
  return twoStep.codes.allInnerTexts();
}

/** The dialog that requests another proof of identity. */
export function proofDialog(
  page: Page,
  { common, reauthentication, second_factor }: Words = words.en,
) {
  const dialog = page.getByRole('dialog', { name: reauthentication.title, exact: true });
  return {
    dialog,
    password: dialog.getByLabel(common.password, { exact: true }),
    code: dialog.getByRole('textbox', { name: second_factor.code, exact: true }),

    async prove(password: string, code: string) {
      await this.password.fill(password);
      await this.code.fill(code);
      await this.code.press('Enter');
    },
  };
}
