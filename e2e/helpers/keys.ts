import { expect, type Locator, type Page } from '@playwright/test';
import { signInScreen } from '../screens/sign-in.ts';
import type { Person } from '../site/accounts.ts';
import { words } from '../words.ts';

/** Expects a focus ring around the focused element or around its box (WCAG 2.4.7). */
export async function expectFocusRing(page: Page): Promise<void> {
  const bare = await page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (!active || active === document.body) return null;
    for (let around: Element | null = active; around; around = around.parentElement) {
      const { outlineStyle, outlineWidth } = getComputedStyle(around);
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) return null;
    }
    return active.outerHTML;
  });
  expect(bare).toBeNull();
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    await expectFocusRing(page);
  }
  await expect(target).toBeFocused();
}

/** Moves the focus to a field by Tab and types a text. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

/** Moves the focus to a button or a link by Tab and presses Enter. */
export async function pressEnterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Fills in the open sign-in screen and presses Enter. */
export async function signInByKeyboard(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
  texts = words.en,
): Promise<void> {
  const signIn = signInScreen(page, texts);
  await typeInto(page, signIn.email, email);
  await typeInto(page, signIn.password, password);
  await page.keyboard.press('Enter');
}
