import type { Page } from '@playwright/test';
import { eachStep } from '../each-step.ts';
import { expect, test } from '../fixtures.ts';

type Role = 'heading' | 'textbox' | 'combobox' | 'checkbox' | 'button' | 'link';

/** The accessible names that external tests and scripts rely on, verbatim. */
const screens: Record<string, [Role, string | RegExp][]> = {
  '/account/': [
    ['heading', 'Sign in'],
    ['textbox', 'Email'],
    ['button', 'Sign in'],
    ['link', 'Forgot password?'],
    ['heading', 'New here?'],
    ['link', 'Create account'],
    ['button', 'Language'],
    ['button', 'Show password'],
  ],
  '/account/signup': [
    ['heading', 'Create account'],
    ['textbox', 'Email'],
    ['textbox', 'Username'],
    ['combobox', 'Country'],
    ['textbox', 'Zip code'],
    ['textbox', 'Day'],
    ['combobox', 'Month'],
    ['combobox', 'Year'],
    ['checkbox', /./],
    ['button', 'Create account'],
    ['link', 'Back'],
  ],
  '/account/request-password': [
    ['heading', 'Reset your password'],
    ['textbox', 'Email'],
    ['button', 'Send reset link'],
    ['link', 'Back'],
  ],
  '/account/reset-password': [
    ['heading', 'Choose a new password'],
    ['link', 'Back to login'],
  ],
  '/account/reset-password?token=unknown': [
    ['heading', 'Choose a new password'],
    ['button', 'Reset password'],
    ['link', 'Back'],
  ],
  '/account/change-email': [
    ['heading', 'Change your email'],
    ['link', 'Back to Settings'],
  ],
  '/account/migration': [
    ['heading', 'Migrate your account'],
    ['textbox', 'Email'],
    ['button', 'Request migration'],
  ],
  '/account/migration?token=unknown': [
    ['heading', 'Migrate your account'],
    ['button', 'Confirm migration'],
  ],
  '/account/migration-confirmation?migration_token=unknown': [
    ['heading', 'Complete your migration'],
    ['textbox', 'First name'],
    ['textbox', 'Last name'],
    ['combobox', 'Country'],
    ['textbox', 'Day'],
    ['combobox', 'Month'],
    ['combobox', 'Year'],
    ['textbox', 'Zip code'],
    ['checkbox', /newsletter/],
    ['button', 'Complete migration'],
    ['link', 'Return to Sign In'],
  ],
  '/account/verify-email': [
    ['heading', 'Verify your email'],
    ['link', 'Back to Sign In'],
  ],
};

async function expectNames(page: Page, names: [Role, string | RegExp][]): Promise<void> {
  for (const [role, name] of names) {
    await expect(page.getByRole(role, { name, exact: true })).toBeVisible();
  }
}

test('every screen has the names of the contract', async ({ page }) => {
  await eachStep(
    Object.entries(screens),
    ([path]) => path,
    async ([path, names]) => {
      await page.goto(path);
      await expectNames(page, names);
    },
  );
});

test('the settings have the names of the contract', async ({ page, signedIn }) => {
  await page.goto('/account/settings');
  await expectNames(page, [
    ['heading', 'Account settings'],
    ['button', 'Sign Out'],
    ['button', 'Change email'],
    ['button', 'Change password'],
  ]);
  await expect(page.getByText(signedIn.username, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Change password' }).click();
  for (const label of ['Current password', 'New password', 'Confirm new password']) {
    await expect(page.getByLabel(label, { exact: true })).toBeVisible();
  }
  for (const name of ['Save Changes', 'Cancel']) {
    await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
  }
});

test('every text field can be cleared and every password be shown', async ({ page }) => {
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
  await page.getByRole('button', { name: 'Show password', exact: true }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Hide password', exact: true }).click();
  await expect(password).toHaveAttribute('type', 'password');
});
