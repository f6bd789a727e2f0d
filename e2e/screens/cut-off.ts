import { expect, type Page } from '@playwright/test';

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
