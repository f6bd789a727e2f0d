import { expect, type Page } from '@playwright/test';

/** A 1280 px window at 400 % zoom (WCAG 1.4.10) and at 200 % (1.4.4), in CSS pixels. */
export const WINDOWS = [
  { width: 320, height: 568 },
  { width: 640, height: 400 },
];
export const DESKTOP = { width: 1280, height: 800 };

/** Fails if the page scrolls sideways, or if text or controls are outside the viewport. */
export async function expectNothingCutOff(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll('main :is(h1, h2, p, a, button, input, select)')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => {
        const { left, right, width: own } = element.getBoundingClientRect();
        return own > 1 && (left < -0.5 || right > width + 0.5);
      });
    return {
      scrolls: document.documentElement.scrollWidth > width,
      outside: outside.map((element) => element.outerHTML),
    };
  });
  expect(found).toEqual({ scrolls: false, outside: [] });
}
