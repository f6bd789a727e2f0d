import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, type Person } from '../site/accounts.ts';

/** Fills the fields as soon as the fields exist and sends no input events, as a password manager does. */
async function fillSilently(page: Page, person: Person): Promise<void> {
  await page.addInitScript(({ email, password }) => {
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    const observer = new MutationObserver(() => {
      const field = document.querySelector('input[type=email]');
      const secret = document.querySelector('input[type=password]');
      if (!field || !secret) return;
      observer.disconnect();
      write?.call(field, email);
      write?.call(secret, password);
    });
    observer.observe(document, { childList: true, subtree: true });
  }, person);
}

for (const delay of [0, 600]) {
  test(`silently autofilled input is submitted, with a response after ${delay} ms`, async ({
    page,
    member,
  }) => {
    await fillSilently(page, member);
    await page.route(`**${API}/users/me`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, delay));
      await route.continue();
    });
    const signIn = signInScreen(page);
    await signIn.open();
    await expect(signIn.clearEmail).toBeVisible();
    await expect(signIn.clearPassword).toBeVisible();
    await signIn.submit.click();
    await expect(settingsScreen(page).heading).toBeVisible();
  });
}
