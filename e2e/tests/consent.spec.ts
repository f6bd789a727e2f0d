import type { BrowserContext, Page, Request } from '@playwright/test';
import { test as base, expect } from '../fixtures.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { type ConsentManager, startConsentManager } from '../site/consent-manager.ts';
import type { Site } from '../site/site.ts';
import { words } from '../words.ts';

declare global {
  interface Window {
    consentHeard?: unknown[];
    consentBooted?: string;
    consentQueue?: unknown;
    violations?: string[];
  }
}

interface Fixtures {
  manager: ConsentManager;
  /** A site whose region has a consent manager. */
  siteWithConsentManager: Site;
  /** A browser that may connect to the manager's host and records policy violations. */
  visitor: BrowserContext;
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
  manager: async ({}, use) => {
    const manager = await startConsentManager();
    await use(manager);
    await manager.stop();
  },
  siteWithConsentManager: async ({ manager, startOwnSite }, use) => {
    await use(
      await startOwnSite(
        {},
        `[[regions]]
        id = "de"
        brand = "Moonhill"
        analytics = { brand = "moonhill", region = "de", language = "de" }
        [regions.consent]
        id = "moonhill-de"
        script_url = "${manager.url}/queue.js"
        boot_url = "${manager.url}/boot.js"`,
      ),
    );
  },
  visitor: async ({ browser, siteWithConsentManager }, use) => {
    const context = await browser.newContext({ baseURL: siteWithConsentManager.origin });
    await context.addInitScript(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        window.violations?.push(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    await use(context);
    await context.close();
  },
});

const receivedCommands = (page: Page) => page.evaluate(() => window.consentHeard);
const cookies = (page: Page) =>
  page.getByRole('button', { name: words.en.shell.cookies, exact: true });
const INIT = [
  'init',
  expect.objectContaining({ id: 'moonhill-de', brand: 'moonhill', region: 'de', language: 'de' }),
];

test('the consent manager loads after the page, with its id and the queued commands', async ({
  visitor,
  manager,
  expectAccessible,
}) => {
  const page = await visitor.newPage();
  const answer = await page.goto('/account/');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/script-src [^;]*'nonce-[\w+/=]{20,}'/);
  expect(policy).not.toContain('unsafe');
  await expect.poll(() => page.evaluate(() => window.consentBooted)).toBe('moonhill-de');
  expect(await receivedCommands(page)).toEqual([INIT]);
  expect(manager.requests).toEqual(['/queue.js', '/boot.js']);
  await cookies(page).click();
  expect(await receivedCommands(page)).toEqual([INIT, ['show']]);
  expect(await page.evaluate(() => window.violations)).toEqual([]);

  await pageShell(page).choose('de');
  await expect(page.getByRole('button', { name: words.de.shell.cookies })).toBeVisible();
  await expectAccessible(page);

  const again = await page.reload();
  expect(again?.headers()['content-security-policy']).not.toBe(policy);
});

test('a consent preference is saved for later visits', async ({ visitor }) => {
  const page = await visitor.newPage();
  await page.goto('/account/');
  await expect(cookies(page)).toBeVisible();
  await page.evaluate(() =>
    window.dispatchEvent(new CustomEvent('consentchange', { detail: { preference: 'granted' } })),
  );
  await page.goto('/account/signup');
  await expect.poll(() => receivedCommands(page)).toEqual([INIT, ['preference', 'granted']]);
});

for (const way of ['header', 'property'] as const) {
  test(`global privacy control by its ${way} denies consent, and nothing is loaded`, async ({
    visitor,
    manager,
  }) => {
    if (way === 'header') await visitor.setExtraHTTPHeaders({ 'sec-gpc': '1' });
    else {
      await visitor.addInitScript(() =>
        Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
      );
    }
    const page = await visitor.newPage();
    await page.goto('/account/');
    await expect(cookies(page)).toBeVisible();
    await expect(page.locator('script[data-consent-id]')).toHaveCount(0);
    expect(manager.requests).toEqual([]);
    expect(await page.evaluate(() => window.consentQueue)).toEqual([
      INIT,
      ['preference', 'denied'],
    ]);
    // The user can still open the dialog, with consent denied.
    await cookies(page).click();
    await expect
      .poll(() => receivedCommands(page))
      .toEqual([INIT, ['preference', 'denied'], ['show']]);
  });
}

test('a failing consent manager does not affect the page', async ({
  visitor,
  manager,
  siteWithConsentManager,
}) => {
  manager.fail();
  const page = await visitor.newPage();
  await page.goto('/account/');
  await cookies(page).click();
  await expect(page.getByText(words.en.shell.cookies_failed)).toBeVisible();
  const signIn = signInScreen(page);
  await expect(signIn.submit).toBeEnabled();
  expect(siteWithConsentManager.program.output).not.toContain('panic');
});

/** Returns the HTTP requests for the script that starts the consent manager. */
const isConsentCode = (request: Request) => /\/assets\/consent-[^/]*\.js$/.test(request.url());

// security: HD-3
test('a page opened by a mailed link loads no third-party script', async ({ visitor, manager }) => {
  const page = await visitor.newPage();
  const consentCode = page.waitForEvent('requestfinished', isConsentCode);
  await page.goto(`/account/reset-password?token=${'x'.repeat(43)}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await consentCode;
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  expect(page.url()).not.toContain('token');
  expect(manager.requests).toEqual([]);
  await expect(page.locator('script[data-consent-id]')).toHaveCount(0);
});

test('scripts of the next page are not in the document of a page with a secret, on the way back', async ({
  visitor,
}) => {
  const page = await visitor.newPage();
  const scripts = page.locator('script[data-consent-id]');
  const form = page.getByRole('button', { name: words.en.password_reset.submit });
  await page.goto(`/account/reset-password?token=${'x'.repeat(43)}`);
  await expect(cookies(page)).toBeVisible();
  await expect(scripts).toHaveCount(0);
  await page.getByRole('link', { name: words.en.common.back }).click();
  await expect(scripts).toHaveCount(2);
  for (const start of ['as it was', 'reloaded']) {
    if (start === 'reloaded') {
      await page.reload();
      await expect(scripts).toHaveCount(2);
    }
    await page.goBack();
    await expect(form, start).toBeVisible();
    await expect(cookies(page)).toBeVisible();
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await expect(scripts, start).toHaveCount(0);
    await page.goForward();
    await expect(scripts, start).toHaveCount(2);
  }
  // The scripts of the consent manager are loaded, because the secret is spent or wrong.
  await page.goBack();
  await page
    .getByLabel(words.en.password_reset.new_password, { exact: true })
    .fill('Rainy-Couch-43');
  await page
    .getByLabel(words.en.password_reset.confirm_password, { exact: true })
    .fill('Rainy-Couch-43');
  await form.click();
  await expect(scripts).toHaveCount(2);
});
