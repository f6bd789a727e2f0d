import { expect, type Page } from '@playwright/test';

interface Window {
  width: number;
  height: number;
  /** The default text size in the browser's settings. */
  text?: '125%';
}

/**
 * The window sizes in CSS pixels: a 1280 px window at 400 % zoom (WCAG 1.4.10) and at 200 % zoom (WCAG 1.4.4), and a
 * phone with large text. Large text increases sizes in rem, but not the window.
 */
export const WINDOWS: readonly [Window, Window, Window] = [
  { width: 320, height: 568 },
  { width: 640, height: 400 },
  { width: 360, height: 740, text: '125%' },
];
export const DESKTOP = { width: 1280, height: 800 };

/** Resizes the window and sets the text size. */
export async function resize(page: Page, { text, ...size }: Window): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate((text) => {
    document.documentElement.style.fontSize = text;
  }, text ?? '');
}

/** Fails if the page scrolls sideways, or if text or controls are outside the viewport or clipped by their box. */
export async function expectNothingCutOff(page: Page): Promise<void> {
  expect(await page.evaluate(findCutOff)).toEqual({ scrolls: false, outside: [], clipped: [] });
}

/** Finds cut-off elements. This function runs in the page. */
function findCutOff() {
  const width = document.documentElement.clientWidth;
  const canvas = document.createElement('canvas').getContext('2d');
  const selector = 'h1, h2, h3, p, a, button, input, select, label, legend, dt, dd, li, code, img';
  const shown = [...document.querySelectorAll(`main :is(${selector})`)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .filter((element) => element.getBoundingClientRect().width > 1);

  const isOutside = (element: Element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < -0.5 || right > width + 0.5;
  };
  const isClipped = (element: Element) => {
    // Inputs are ignored, because the text of an input scrolls.
    if (element instanceof HTMLInputElement) return false;
    const style = getComputedStyle(element);
    if (element instanceof HTMLSelectElement)
      return widestOption(element, style) > room(element, style);
    const clips = ['hidden', 'clip'].includes(style.overflowX);
    return clips && element.scrollWidth > element.clientWidth + 1;
  };
  // A select is measured separately, because its options are not part of its scroll width.
  const widestOption = ({ options }: HTMLSelectElement, { font }: CSSStyleDeclaration) => {
    if (canvas) canvas.font = font;
    const widths = [...options].map(({ text }) => canvas?.measureText(text).width ?? 0);
    return Math.max(...widths);
  };
  const room = (element: Element, style: CSSStyleDeclaration) =>
    element.clientWidth -
    Number.parseFloat(style.paddingInlineStart) -
    Number.parseFloat(style.paddingInlineEnd);
  const htmlOf = (elements: Element[]) => elements.map(({ outerHTML }) => outerHTML.slice(0, 300));
  return {
    scrolls: document.documentElement.scrollWidth > width,
    outside: htmlOf(shown.filter(isOutside)),
    clipped: htmlOf(shown.filter(isClipped)),
  };
}
