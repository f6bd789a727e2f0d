import type { Page, Request } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { eachStep } from '../helpers/each-step.ts';
import { delayScripts, openBeforeScripts } from '../helpers/early.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { layoutShiftsOf, recordLayoutShifts } from '../helpers/layout-shift.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';
import { words } from '../words.ts';

declare global {
  interface Window {
    prerendered?: Element[];
  }
}

// The limit counts the page, its style sheet and scripts (at most four, in parallel), the favicon, and at most one API
// call. Each page has a test of its own, because the browser's cache must be empty.
for (const { path, countries } of PUBLIC_SCREENS) {
  // The two forms with a birthday also request whether this browser is blocked. The form of a mailed link also requests
  // the email address that the link was mailed to.
  const calls = Number(countries) + Number(path.includes('migration_token='));
  const most = path === '/account/' ? 4 : 7 + calls;
  test(`${path} is prerendered and loads with at most ${most} requests in one round`, async ({
    page,
  }) => {
    // The screens of undo links would show that the made-up token is refused, instead of their prerendered heading.
    await page.route('**/undo-credential/details', (route) => route.fulfill({ json: {} }));
    await markPrerendered(page);
    await expectWhole(page, path, most);
    await expectPrerenderedKept(page);
    expect(new URL(page.url()).pathname).toBe(new URL(path, page.url()).pathname);
  });
}

/** Marks the prerendered elements before any script runs. */
async function markPrerendered(page: Page): Promise<void> {
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const selector = 'h1, main, [data-part="header"], [data-part="footer"]';
      window.prerendered = [...document.querySelectorAll(selector)];
    });
  });
}

/**
 * Expects that hydration has kept the marked elements. After a mismatch React throws, which fails the test. React also
 * renders everything again, which removes the marks.
 */
async function expectPrerenderedKept(page: Page): Promise<void> {
  const found = await page.evaluate(() =>
    window.prerendered?.map((element) => [
      element.getAttribute('data-part') ?? element.localName,
      element.isConnected,
      element.hasAttribute('data-part') ? element.shadowRoot !== null : true,
    ]),
  );
  expect(found).toEqual([
    ['header', true, true],
    ['main', true, true],
    ['h1', true, true],
    ['footer', true, true],
  ]);
}

test('the settings are prerendered and load with at most 11 requests in one round', async ({
  page,
  signedIn,
}) => {
  await markPrerendered(page);
  await expectWhole(page, '/account/settings', 11, async () => {
    await expect(page.getByText(signedIn.email)).toBeVisible();
    await expect(page.getByRole('main').getByRole('listitem')).not.toHaveCount(0);
  });
  await expectPrerenderedKept(page);
});

test('the settings request the account before their scripts are loaded, and only once', async ({
  page,
  signedIn,
}) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    const [, call] = request.url().split('/account-api');
    if (call) calls.push(call);
  });
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/settings');
  const early = ['/users/me', '/security'];
  await expect.poll(() => calls).toEqual(early);
  releaseScripts();
  await expect(page.getByText(signedIn.email)).toBeVisible();
  expect(calls.filter((call) => early.includes(call))).toEqual(early);
});

/**
 * Opens a screen and waits until the screen is hydrated and `loaded`. Expects at most `most` HTTP requests. The HTML
 * must refer to all files, so that the browser discovers no file through another file.
 */
async function expectWhole(
  page: Page,
  path: string,
  most: number,
  loaded: () => Promise<void> = async () => undefined,
): Promise<void> {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  await watchHydration(page);
  const answer = await page.goto(path);
  await untilHydrated(page);
  await loaded();
  const html = await answer?.text();
  const paths = requests.map((request) => new URL(request.url()).pathname);
  // The script for passkeys and the picture of a link that no longer works are not counted, because both are loaded
  // after the screen is interactive.
  const addresses = paths.filter((path) => !/\/(?:passkeys|burnt-film)/.test(path));
  expect(addresses.length, addresses.join('\n')).toBeLessThanOrEqual(most);
  for (const file of addresses.filter((address) => address.includes('/assets/'))) {
    expect(html).toContain(file);
  }
}

test.describe('before scripts run', () => {
  test.use({ javaScriptEnabled: false });

  test('header and footer are visible', async ({ page }) => {
    await page.goto('/account/');
    await expect(page.getByRole('banner')).toContainText(words.en.shell.episodes);
    await expect(page.getByRole('contentinfo')).toContainText(words.en.common.terms_of_use);
  });
});

for (const width of [320, 1280]) {
  test(`no layout shifts while a page loads at ${width} px, in any language`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });
    await recordLayoutShifts(page);
    await eachStep(Object.keys(words), String, async (language) => {
      for (const path of ['/account/', '/account/signup', '/account/request-password']) {
        await page.goto(inLanguage(path, language));
        expect(await layoutShiftsOf(page), path).toEqual([]);
      }
    });
  });
}

test('a layout shift is detected', async ({ page }) => {
  await recordLayoutShifts(page);
  await page.goto('/account/');
  expect(await layoutShiftsOf(page)).toEqual([]);
  await page.evaluate(() => {
    const stripe = document.createElement('div');
    Object.assign(stripe.style, { blockSize: '100px' });
    document.body.prepend(stripe);
  });
  expect(await layoutShiftsOf(page)).not.toEqual([]);
});

test('the script of a pressed link is loaded before the link is followed', async ({ page }) => {
  await page.goto('/account/');
  await page.getByRole('link', { name: words.en.sign_in.create }).hover();
  const script = page.waitForResponse(/\/registration-/);
  await page.mouse.down();
  await script;
  await page.mouse.up();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(words.en.sign_up.title);
});

test('a loaded screen appears without a timer', async ({ page }) => {
  await watchHydration(page);
  // The timers are stopped, because React would show a screen that suspended 300 ms after its placeholder.
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60_000);
  await page.goto('/account/');
  await expect(page.locator('html')).toHaveAttribute('data-hydrated', '');
  await page.getByRole('link', { name: words.en.sign_in.create }).press('Enter');
  await expect(page.getByRole('button', { name: words.en.sign_up.submit })).toBeVisible();
});
