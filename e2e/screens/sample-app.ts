import { expect, type Locator, type Page } from '@playwright/test';
import { codeOf } from '../site/totp.ts';
import { fill, words } from '../words.ts';
import { codeStepScreen } from './second-factor.ts';
import { signInScreen } from './sign-in.ts';

const PASSWORD = 'Moonrise-7';

/** The pages of the sample application. */
export class SampleAppScreen {
  readonly welcome: Locator;
  readonly signIn: Locator;
  readonly signOut: Locator;
  readonly signedOut: Locator;
  readonly problem: Locator;
  /** The sign-in form of the account site, opened by the application. */
  readonly form: Locator;

  constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    this.signIn = page.getByRole('link', { name: 'Sign in', exact: true });
    this.signOut = page.getByRole('button', { name: 'Sign out', exact: true });
    this.welcome = this.#heading('Welcome');
    this.signedOut = this.#heading('Signed out');
    this.problem = page.getByRole('alert');
    const name = 'Moonhill Fan Club';
    this.form = page.getByText(fill(words.en.sign_in.continue_to, { name }));
  }

  hello(name: string): Locator {
    return this.#heading(`Hello, ${name}`);
  }

  /** Finds a detail about the signed-in person. */
  fact(term: string): Locator {
    return this.page.locator('dt', { hasText: term }).locator('+ dd');
  }

  async open(): Promise<void> {
    await this.page.goto(this.origin);
  }

  /** Signs a demo account in. If `key` is set, the key of the authenticator app yields the second-factor code. */
  async signInAs(name: string, key?: string): Promise<void> {
    await this.open();
    await this.signIn.click();
    await this.fillForm(name, key);
    await expect(this.hello(name)).toBeVisible();
  }

  /** Fills in the sign-in form of the account site. */
  async fillForm(name: string, key?: string): Promise<void> {
    await expect(this.form).toBeVisible();
    const email = `${name}@demo.example`;
    await signInScreen(this.page).signIn({ email, password: PASSWORD });
    if (!key) return;
    const step = codeStepScreen(this.page);
    await step.code.fill(codeOf(key));
    await step.submit.click();
  }

  #heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }
}
