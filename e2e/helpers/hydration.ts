import type { Page } from '@playwright/test';

declare global {
  interface Window {
    early?: { mounted(part: string): void };
  }
}

/** Installs a mark on the root element of every page opened later, set when its screen is hydrated. */
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

/** Waits until the screen is hydrated and the browser is idle. Needs `watchHydration` before the page is opened. */
export async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => 'hydrated' in document.documentElement.dataset);
  await page.evaluate(async () => {
    if (document.readyState !== 'complete') {
      await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
    }
    await new Promise((resolve) => requestIdleCallback(resolve));
  });
}
