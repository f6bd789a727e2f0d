import { expect, type Page } from '@playwright/test';

/** Delays all scripts until the returned function is called, which continues or aborts the scripts. */
export async function delayScripts(
  page: Page,
  then: 'continue' | 'abort' = 'continue',
): Promise<() => void> {
  let releaseScripts: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    releaseScripts = resolve;
  });
  await page.route('**/*.js', async (route) => {
    await wait;
    await route[then]();
  });
  return releaseScripts;
}

/** Opens a page and waits until its prerendered HTML is parsed and visible. */
export async function openBeforeScripts(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  // The boot block is the last element of the page.
  await page.locator('#boot').waitFor({ state: 'attached' });
  await waitForFirstPaint(page);
}

/** Waits until the page is painted, because Chromium drops clicks before the first paint. */
export async function waitForFirstPaint(page: Page): Promise<void> {
  await page.waitForFunction(
    () => performance.getEntriesByName('first-contentful-paint').length > 0,
  );
}
