import { expect, type Locator, type Page } from '@playwright/test';
import { codeOf } from '../site/totp.ts';
import { type Words, words } from '../words.ts';

/** The second step of the sign-in. */
export class CodeStep {
  readonly heading: Locator;
  readonly code: Locator;
  readonly recoveryCode: Locator;
  readonly trust: Locator;
  readonly submit: Locator;
  readonly useRecoveryCode: Locator;
  readonly lostCodes: Locator;
  readonly noCodeHeading: Locator;
  readonly usePasskey: Locator;
  readonly startReset: Locator;
  readonly back: Locator;

  constructor(page: Page, { sign_in, second_factor, reauthentication }: Words = words.en) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: sign_in.code_title, exact: true });
    this.code = field(second_factor.code);
    this.recoveryCode = field(second_factor.recovery_code);
    this.trust = page.getByRole('checkbox');
    this.submit = button(reauthentication.submit);
    this.useRecoveryCode = button(sign_in.use_recovery_code);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    this.lostCodes = link(sign_in.lost_codes);
    this.noCodeHeading = page.getByRole('heading', {
      level: 1,
      name: sign_in.no_code_title,
      exact: true,
    });
    this.usePasskey = button(sign_in.passkey);
    // The number of days depends on the settings of the site.
    this.startReset = page.getByRole('main').locator('hr + div > button');
    this.back = link(sign_in.back);
  }

  /** Starts the reset of the second factor. */
  async requestReset(): Promise<void> {
    await this.lostCodes.click();
    await this.startReset.click();
  }
}

/** The region "Two-step verification" of the security screen, and the set-up screen. */
export class TwoStepScreen {
  readonly region: Locator;
  readonly turnOn: Locator;
  readonly turnOff: Locator;
  readonly newCodes: Locator;
  readonly replaceCodes: Locator;
  readonly setUp: Locator;
  readonly qrCode: Locator;
  readonly openApp: Locator;
  readonly showQrCode: Locator;
  readonly copyKey: Locator;
  readonly key: Locator;
  readonly code: Locator;
  readonly codesHeading: Locator;
  readonly codes: Locator;
  readonly download: Locator;
  readonly saved: Locator;

  constructor(
    private readonly page: Page,
    { second_factor }: Words = words.en,
  ) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    this.region = page.getByRole('region', { name: second_factor.title, exact: true });
    this.turnOn = button(second_factor.turn_on);
    this.turnOff = this.region.getByRole('button', { name: second_factor.turn_off, exact: true });
    this.newCodes = button(second_factor.new_codes);
    this.replaceCodes = page
      .getByRole('dialog')
      .getByRole('button', { name: second_factor.replace_submit, exact: true });
    this.setUp = heading(second_factor.setup_title);
    this.qrCode = page.getByRole('img', { name: second_factor.qr_code, exact: true });
    this.openApp = page.getByRole('link', { name: second_factor.open_app, exact: true });
    this.showQrCode = page.getByText(second_factor.show_qr_code, { exact: true });
    this.copyKey = button(second_factor.copy_key);
    this.key = page.getByText(/^(?:[A-Z2-7]{4} ?){8}$/);
    this.code = page.getByRole('textbox', { name: second_factor.code, exact: true });
    this.codesHeading = heading(second_factor.codes_title);
    this.codes = page.getByRole('main').getByRole('listitem');
    this.download = button(second_factor.download);
    this.saved = button(second_factor.saved);
  }

  async open(): Promise<void> {
    await this.page.goto('/account/settings/security');
  }
}

interface Factor {
  /** The secret of the authenticator app in base32. */
  secret: string;
  codes: string[];
}

/** Turns the second factor on in the browser of a signed-in user, up to the recovery codes. */
export async function turnOnSecondFactor(page: Page): Promise<Factor> {
  const twoStep = new TwoStepScreen(page);
  await twoStep.open();
  await twoStep.turnOn.click();
  await expect(twoStep.setUp).toBeVisible();
  const secret = (await twoStep.key.textContent()) ?? '';
  // A code is accepted during its own time step, the step before and the step after. This code belongs to the current
  // step and the following code to the next step, so no code expires if a step ends in between.
  await twoStep.code.fill(codeOf(secret));
  await twoStep.code.press('Enter');
  await expect(twoStep.codesHeading).toBeVisible();
  return { secret, codes: await twoStep.codes.allInnerTexts() };
}

/** The dialog that requests another proof of identity. */
export class ProofDialog {
  readonly dialog: Locator;
  readonly password: Locator;
  readonly code: Locator;

  constructor(page: Page, { common, reauthentication, second_factor }: Words = words.en) {
    this.dialog = page.getByRole('dialog', { name: reauthentication.title, exact: true });
    this.password = this.dialog.getByLabel(common.password, { exact: true });
    this.code = this.dialog.getByRole('textbox', { name: second_factor.code, exact: true });
  }

  async prove(password: string, code: string): Promise<void> {
    await this.password.fill(password);
    await this.code.fill(code);
    await this.code.press('Enter');
  }
}
