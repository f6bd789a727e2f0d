import { expect, type Locator, type Page } from '@playwright/test';
import type { Program } from '../site/program.ts';
import { fill, words } from '../words.ts';
import { SignInScreen } from './sign-in.ts';

/** An account of the demo, from its guide. */
const VERIFIED = { email: 'verified@demo.example', password: 'Moonrise-7' };

/** The sample application of `account demo`. */
export class SampleApp {
  readonly address: string;
  readonly signIn: Locator;
  readonly signOut: Locator;
  readonly hello: Locator;
  readonly signedOut: Locator;
  /** The id of the account. */
  readonly id: Locator;
  /** The form of the account, on behalf of the application. */
  readonly form: Locator;

  constructor(
    readonly page: Page,
    demo: Program,
  ) {
    const address = demo.output.match(/^Fan club +(\S+)/m)?.[1];
    if (!address) throw new Error(`the guide has no sample application:\n${demo.output}`);
    this.address = address;
    this.signIn = page.getByRole('link', { name: 'Sign in', exact: true });
    this.signOut = page.getByRole('button', { name: 'Sign out', exact: true });
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    this.hello = heading('Hello, verified');
    this.id = page.getByRole('definition').last();
    this.signedOut = heading('Signed out');
    const name = 'Moonhill Fan Club';
    this.form = page.getByText(fill(words.en.sign_in.continue_to, { name }));
  }

  async open(): Promise<void> {
    await this.page.goto(this.address);
    await expect(this.signIn).toBeVisible();
  }

  /** Fills the form of the account. */
  async fillForm(): Promise<void> {
    await expect(this.form).toBeVisible();
    await new SignInScreen(this.page).signIn(VERIFIED);
  }
}
