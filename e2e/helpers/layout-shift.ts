import type { Page } from '@playwright/test';
import { untilHydrated, watchHydration } from './hydration.ts';

declare global {
  interface Window {
    shifts?: string[];
  }
}

/** Records the layout shifts of every page opened later. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await watchHydration(page);
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & {
          value: number;
          sources: { node?: Node | null }[];
        };
        const moved = sources.map(({ node }) => node?.nodeName ?? 'something').join(', ');
        window.shifts?.push(`${moved}: ${value}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Returns the layout shifts of the page until the screen is hydrated. */
export async function layoutShiftsOf(page: Page): Promise<string[]> {
  await untilHydrated(page);
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        // The test waits for another frame, because the browser reports the shifts of a frame after the frame.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(window.shifts ?? ['?'])));
      }),
  );
}
