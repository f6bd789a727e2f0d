import type { Page } from '@playwright/test';
import { prepareContext } from '../chromium.ts';
import { test as base, expect } from '../fixtures.ts';
import { layoutShiftsOf, recordLayoutShifts } from '../helpers/layout-shift.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { type Behaviour, hangs, type Service, shows, startService } from '../site/service.ts';
import type { Site } from '../site/site.ts';
import { words } from '../words.ts';

interface Fixtures {
  /** A provider of header, footer and translations. */
  service: Service;
  siteWithProvider: Site;
  /** A browser on the site with the provider. `complaints` contains the errors of the browser. */
  visitor: Page;
  complaints: string[];
}

declare global {
  interface Window {
    ran?: boolean;
  }
}

const HEADER = `<style>.top { background: #103050; display: flex; gap: 20px; padding: 30px }
    a { color: rgb(1, 2, 3) }</style>
  <header class="top"><a href="/">Moonhill Network</a> <a href="/episodios">All episodes</a></header>`;
const FOOTER = `<style>p { margin: 0; padding: 50px }</style><footer><p>Far away</p></footer>`;
const translationsOf = (path: string) =>
  JSON.stringify(path.endsWith('/en.json') ? words.en : words.de);
const fragments = shows((path) => (path.startsWith('/header') ? HEADER : FOOTER));

const isTranslation = (path: string) => path.startsWith('/words/');

/** Sets the behaviour for header and footer, and serves the translations normally. */
const forFragments =
  (does: Behaviour): Behaviour =>
  (response, path) =>
    isTranslation(path)
      ? shows(translationsOf, 'application/json')(response, path)
      : does(response, path);

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
  service: async ({}, use) => {
    const service = await startService(forFragments(fragments));
    await use(service);
    await service.stop();
  },
  siteWithProvider: async ({ service, startOwnSite }, use) => {
    await use(
      await startOwnSite({
        ACCOUNT_FRAGMENTS__URL: service.url,
        ACCOUNT_FRAGMENTS__TIMEOUT: '500ms',
        ACCOUNT_TRANSLATIONS__URL: `${service.url}/words`,
        ACCOUNT_TRANSLATIONS__TIMEOUT: '500ms',
      }),
    );
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
  complaints: async ({}, use) => use([]),
  visitor: async ({ browser, launchOptions, siteWithProvider, complaints }, use) => {
    const context = await browser.newContext({ baseURL: siteWithProvider.origin });
    await prepareContext(context, launchOptions);
    context.on('weberror', (error) => complaints.push(error.error().message));
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await use(await context.newPage());
    await context.close();
  },
});

/** Requests header and footer, so that the site caches both fragments. */
async function cacheFragments({ origin }: Site): Promise<void> {
  for (const part of ['header', 'footer']) {
    const answer = await fetch(`${origin}/account/account-api/ui/${part}`);
    expect(answer.status).toBe(200);
  }
}

test('cached fragments are part of the page: four requests and no layout shift', async ({
  siteWithProvider,
  service,
  visitor,
  complaints,
}) => {
  await cacheFragments(siteWithProvider);
  service.takeRequests();
  const requests: string[] = [];
  // The script for passkeys is not counted, because it is loaded after the form is interactive.
  visitor.on('request', (request) => {
    if (!request.url().includes('/passkeys')) requests.push(request.url());
  });
  await recordLayoutShifts(visitor);
  for (const width of [360, 1280]) {
    await visitor.setViewportSize({ width, height: 740 });
    requests.length = 0;
    await visitor.goto('/account/');
    expect(await layoutShiftsOf(visitor)).toEqual([]);
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(4);
  }
  const link = visitor.getByRole('banner').getByRole('link', { name: 'All episodes' });
  await expect(link).toHaveCSS('color', 'rgb(1, 2, 3)');
  await expect(visitor.getByRole('contentinfo')).toHaveText('Far away');
  const forgotten = visitor.getByRole('link', { name: words.en.sign_in.forgot });
  await expect(forgotten).not.toHaveCSS('color', 'rgb(1, 2, 3)');
  expect(service.takeRequests().filter((path) => !isTranslation(path))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('fragments that are not cached are fetched by the page', async ({ visitor, complaints }) => {
  await visitor.goto('/account/');
  await expect(visitor.getByRole('banner')).toContainText('Moonhill Network');
  await expect(visitor.getByRole('contentinfo')).toContainText('Far away');
  expect(complaints).toEqual([]);
});

// The server answers every other failure in the same way (tests/outside_services/failures.rs).
test('with a provider that hangs, the fragments stay empty and the sign-in works', async ({
  service,
  siteWithProvider,
  visitor,
  complaints,
}) => {
  service.setBehaviour(forFragments(hangs));
  const parts = Promise.all(
    ['header', 'footer'].map((part) => visitor.waitForResponse(`**/ui/${part}?**`)),
  );
  await visitor.goto('/account/');
  for (const answer of await parts) expect(answer.status()).toBe(502);
  const signIn = signInScreen(visitor);
  await signIn.email.fill('nobody@example.com');
  await signIn.password.fill('Abcde1');
  await signIn.submit.click();
  await expect(visitor.getByRole('alert')).toContainText(words.en.error.invalid_credentials);
  await expect(visitor.locator('[data-part="header"]')).toHaveText('');
  const failures = complaints.filter((text) => !text.includes('status of 40'));
  for (const text of failures) expect(text).toMatch(/status (of )?(502|401)/);
  const logged = siteWithProvider.program.output.match(/an external service failed/g);
  expect(logged).toHaveLength(1);
});

const HOSTILE = `<style>a { color: rgb(1, 2, 3) }</style>
  <style class="a>b">header { color: red }</style>
  <header onclick="window.ran = true" style="color: red"><a href="javascript:window.ran=true">Hello</a>
  <script>window.ran = true</script><img src="/nothing.png" onerror="window.ran = true">
  <svg onload="window.ran = true"><style><img src=x onerror="window.ran = true"></style></svg>
  <form action="//example.org"><input name="password"></form><iframe srcdoc="<p>x"></iframe>
  <template shadowrootmode="open"><script>window.ran = true</script></template></template>
  </header></div><h1 style="position: fixed; inset: 0">Mine now</h1>`;

/** An `@import` in the page would violate the policy; the script that inserts the styles omits it. */
const HOSTILE_IMPORT = `<style>@import "/account/other.css";</style>${HOSTILE}`;

for (const [name, header, kept] of [
  ['a hostile header that comes with the page', HOSTILE, true],
  ['a hostile header that comes after the page', HOSTILE, false],
  ['a hostile header with an import, kept before', HOSTILE_IMPORT, true],
] as const) {
  test(`${name} runs no script and breaks no layout`, async ({
    siteWithProvider,
    service,
    visitor,
    complaints,
  }) => {
    service.setBehaviour(
      forFragments(shows((path) => (path.startsWith('/header') ? header : FOOTER))),
    );
    if (kept) await cacheFragments(siteWithProvider);
    await visitor.goto('/account/');
    const hello = visitor.getByRole('banner').getByText('Hello', { exact: true });
    await expect(hello).toHaveCSS('color', 'rgb(1, 2, 3)');
    await hello.click();
    await visitor.waitForFunction(() => {
      const root = document.querySelector('[data-part="header"]')?.shadowRoot;
      return [...(root?.querySelectorAll('img') ?? [])].every((image) => image.complete);
    });
    const inside = await visitor.evaluate(() => {
      const root = document.querySelector('[data-part="header"]')?.shadowRoot;
      const unwanted = 'script, iframe, svg, form, input, template, [onclick], [onerror], [style]';
      return { ran: window.ran, found: root?.querySelectorAll(unwanted).length };
    });
    expect(inside).toEqual({ ran: undefined, found: 0 });
    await expect(visitor.locator('main h1')).toHaveText(words.en.sign_in.title);
    await expect(signInScreen(visitor).email).toBeVisible();
    expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
  });
}

test('with a translation service that gives markup, the bundled texts are shown', async ({
  service,
  visitor,
  complaints,
}) => {
  const invalid = JSON.stringify({
    sign_in: { title: '<img src=x onerror="window.ran = true">' },
  });
  service.setBehaviour((response, path) =>
    (isTranslation(path) ? shows(() => invalid, 'application/json') : fragments)(response, path),
  );
  await visitor.goto('/account/?lang=de');
  const { sign_in } = words.de;
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(sign_in.title);
  await expect(visitor.getByRole('button', { name: sign_in.submit, exact: true })).toBeVisible();
  await expect(visitor.getByRole('banner')).toContainText('Moonhill Network');
  await expect(visitor.getByRole('contentinfo')).toContainText('Far away');
  expect(await visitor.evaluate(() => window.ran)).toBeUndefined();
  expect(complaints).toEqual([]);
});

test('translations of the service are used if they are valid', async ({ service, visitor }) => {
  const { sign_in } = words.en;
  const own = JSON.stringify({ ...words.en, sign_in: { ...sign_in, title: 'Come on in' } });
  service.setBehaviour((response, path) =>
    (isTranslation(path) ? shows(() => own, 'application/json') : fragments)(response, path),
  );
  await visitor.goto('/account/');
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('Come on in');
});
