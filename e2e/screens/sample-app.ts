import { expect, type Page } from '@playwright/test';
import { codeOf } from '../site/totp.ts';
import { fill, words } from '../words.ts';
import { codeStepScreen } from './second-factor.ts';
import { signInScreen } from './sign-in.ts';

const PASSWORD = 'Moonrise-7';

export type SampleAppScreen = ReturnType<typeof sampleAppScreen>;

/** The pages of the sample application. */
export function sampleAppScreen(page: Page, origin: string) {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  return {
    page,
    signIn: page.getByRole('link', { name: 'Sign in', exact: true }),
    signOut: page.getByRole('button', { name: 'Sign out', exact: true }),
    welcome: heading('Welcome'),
    signedOut: heading('Signed out'),
    problem: page.getByRole('alert'),
    /** The sign-in form of the account site, opened by the application. */
    form: page.getByText(fill(words.en.sign_in.continue_to, { name: 'Moonhill Fan Club' })),

    hello(name: string) {
      return heading(`Hello, ${name}`);
    },

    /** Finds a detail about the signed-in person. */
    fact(term: string) {
      return page.locator('dt', { hasText: term }).locator('+ dd');
    },

    async open() {
      await page.goto(origin);
    },

    /** Signs a demo account in. `key` is the secret of the authenticator app of the account. */
    async signInAs(name: string, key?: string) {
      await this.open();
      await this.signIn.click();
      await this.fillForm(name, key);
      await expect(this.hello(name)).toBeVisible();
    },

    async fillForm(name: string, key?: string) {
      await expect(this.form).toBeVisible();
      const email = `${name}@demo.example`;
      await signInScreen(page).signIn({ email, password: PASSWORD });
      if (!key) return;
      const step = codeStepScreen(page);
      await step.code.fill(codeOf(key));
      await step.submit.click();
    },
  };
}
