import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { eachStep } from '../helpers/each-step.ts';
import { storyOf, visit } from '../helpers/gallery.ts';

type Role = 'heading' | 'textbox' | 'combobox' | 'checkbox' | 'button' | 'link' | 'img' | 'region';
type Names = Partial<Record<Role, (string | RegExp)[]>>;

/** The accessible names that external tests and scripts rely on, verbatim. */
const screens: Record<string, Names> = {
  '/account/': {
    heading: ['Sign in', 'New here?'],
    textbox: ['Email'],
    button: ['Sign in', 'Language: English', 'Show Password'],
    link: ['Forgot password?', 'Create account'],
  },
  '/account/signup': {
    heading: ['Create account'],
    textbox: ['Email', 'Username', 'Zip code', 'Day'],
    combobox: ['Country', 'Month', 'Year'],
    checkbox: [/./],
    button: ['Create account'],
    link: ['Back'],
  },
  '/account/request-password': {
    heading: ['Reset your password'],
    textbox: ['Email'],
    button: ['Send reset link'],
    link: ['Back'],
  },
  '/account/reset-password': { heading: ['Choose a new password'], link: ['Back to login'] },
  '/account/reset-password?token=unknown': {
    heading: ['Choose a new password'],
    button: ['Reset password'],
    link: ['Back'],
  },
  '/account/second-factor-reset?token=unknown': { button: ['Remove the extra protection'] },
  '/account/change-email': { heading: ['Change your email'], link: ['Back to Settings'] },
  '/account/migration': {
    heading: ['Migrate your account'],
    textbox: ['Email'],
    button: ['Request migration'],
  },
  '/account/migration?token=unknown': {
    heading: ['Migrate your account'],
    button: ['Confirm migration'],
  },
  '/account/migration-confirmation?migration_token=unknown': {
    heading: ['Complete your migration'],
    textbox: ['First name', 'Last name', 'Day', 'Zip code'],
    combobox: ['Country', 'Month', 'Year'],
    checkbox: [/newsletter/],
    button: ['Complete migration'],
    link: ['Return to Sign In'],
  },
  '/account/verify-email': { heading: ['Verify your email'], link: ['Back to Sign In'] },
};

async function expectNames(page: Page, names: Names): Promise<void> {
  for (const role of Object.keys(names) as Role[]) {
    for (const name of names[role] ?? []) {
      await expect(page.getByRole(role, { name, exact: true })).toBeVisible();
    }
  }
}

test('every screen has the documented accessible names', async ({ page }) => {
  await eachStep(
    Object.entries(screens),
    ([path]) => path,
    async ([path, names]) => {
      await page.goto(path);
      await expectNames(page, names);
    },
  );
});

test('the settings have the documented accessible names', async ({ page, signedIn }) => {
  await page.goto('/account/settings');
  await expectNames(page, {
    heading: ['Account settings'],
    button: ['Sign Out', 'Change email', 'Change password'],
  });
  await expect(page.getByText(signedIn.username, { exact: true }).first()).toBeVisible();

  await page.getByRole('button', { name: 'Change password' }).click();
  for (const label of ['Current password', 'New password', 'Confirm new password']) {
    await expect(page.getByLabel(label, { exact: true })).toBeVisible();
  }
  await expectNames(page, { button: ['Save Changes', 'Cancel'] });
});

/** The accessible names of two-step verification, by screen and state of the gallery. */
const twoStep: [screen: string, state: string, names: Names][] = [
  [
    'sign-in',
    'code',
    {
      heading: ['Enter your code'],
      textbox: ['Code'],
      checkbox: ['Don’t ask again on this device for 30 days'],
      button: ['Continue', 'Use a recovery code'],
      link: ['I can’t get a code'],
    },
  ],
  ['sign-in', 'recovery code', { textbox: ['Recovery code'] }],
  [
    'security',
    'two-step on',
    { region: ['Two-step verification'], button: ['Turn off', 'New recovery codes'] },
  ],
  ['security', 'no passkey', { button: ['Turn on'] }],
  [
    'security',
    'confirm by passkey or code',
    {
      heading: ['Confirm it’s you'],
      button: ['Use a passkey', 'Continue', 'Cancel'],
      textbox: ['Password', 'Code'],
    },
  ],
  [
    'two-step',
    'set up',
    {
      heading: ['Set up two-step verification'],
      img: ['QR code'],
      button: ['Copy key', 'Turn on'],
      textbox: ['Code'],
    },
  ],
  [
    'two-step',
    'recovery codes',
    { heading: ['Your recovery codes'], button: ['Download', 'Copy', 'I have saved them'] },
  ],
  [
    'settings',
    'reset pending',
    { region: ['Someone asked to turn off two-step verification'], button: ['Keep it on'] },
  ],
];

test.describe('with a fake server', () => {
  // The guard is off, because the errors of the gallery state are logged to the console.
  test.use({ guarded: false });

  test('two-step verification has the documented accessible names', async ({ page }) => {
    await eachStep(
      twoStep,
      ([screen, state]) => `${screen}: ${state}`,
      async ([screen, state, names]) => {
        await visit(page, storyOf(screen, state));
        await expectNames(page, names);
      },
    );
  });
});

test('every text field can be cleared, and every password shown', async ({ page }) => {
  await page.goto('/account/signup');
  for (const field of ['Email', 'Username', 'Password', 'Zip code']) {
    const input = page.getByLabel(field, { exact: true });
    const clear = page.getByRole('button', { name: `Clear ${field}`, exact: true });
    await expect(clear).toHaveCount(0);
    await input.fill('abc');
    await clear.click();
    await expect(input).toHaveValue('');
    await expect(input).toBeFocused();
  }
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('Sunny-Couch-42');
  await page.getByRole('button', { name: 'Show Password', exact: true }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Hide Password', exact: true }).click();
  await expect(password).toHaveAttribute('type', 'password');
});
