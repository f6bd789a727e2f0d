import type { Page } from '@playwright/test';

declare global {
  interface Window {
    early?: { mounted(part: string): void };
  }
}

/** Makes every page opened later mark its root element when the screen is hydrated. */
export async function watchHydration(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let early: Window['early'];
    Object.defineProperty(window, 'early', {
      get: () => early,
      set(value: NonNullable<Window['early']>) {
        early = value;
        const { mounted } = value;
        value.mounted = (part) => {
          mounted(part);
          if (part === 'screen') document.documentElement.dataset.hydrated = '';
        };
      },
    });
  });
}

/** Waits until the screen is hydrated and the browser is idle. Call `watchHydration` before the page is opened. */
export async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => 'hydrated' in document.documentElement.dataset);
  await page.evaluate(async () => {
    if (document.readyState !== 'complete') {
      await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
    }
    await new Promise((resolve) => requestIdleCallback(resolve));
  });
}
