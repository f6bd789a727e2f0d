import { expect, type Page } from '@playwright/test';

/** The page without its scripts, until they are let in, or fail then. */
export async function withoutScripts(
  page: Page,
  then: 'continue' | 'abort' = 'continue',
): Promise<() => void> {
  let letIn: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  await page.route('**/*.js', async (route) => {
    await wait;
    await route[then]();
  });
  return letIn;
}

/** Opens a page and waits for what is there before any script. */
export async function openEarly(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  // The last thing in the page: all that is drawn has been read.
  await page.locator('#boot').waitFor({ state: 'attached' });
}
