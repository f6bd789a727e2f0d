import type { Browser, BrowserContext, Locator, Page } from '@playwright/test';
import { test as base, expect } from '../fixtures.ts';
import { Apache, apacheClient } from '../openid/apache.ts';
import { PROVIDER_SETTINGS, SECRET_SHA256 } from '../openid/provider.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, join, newPerson, type Person } from '../site/accounts.ts';
import { freePort } from '../site/program.ts';
import type { Site } from '../site/site.ts';
import { fill, words } from '../words.ts';

const PAGE = '/?page=2';
const toArchive = fill(words.en.sign_in.continue_to, { name: 'Couch Archive' });

/** A site, Apache as an application of the site, and a person with an account. */
interface Archive {
  site: Site;
  apache: Apache;
  person: Person;
}

/** A browser that has opened a page of Apache. */
interface Visit {
  context: BrowserContext;
  page: Page;
  /** The greeting that Apache shows. */
  hello: Locator;
}

const test = base.extend<{ archive: Archive }>({
  archive: async ({ startOwnSite }, use) => {
    const port = await freePort();
    const site = await startOwnSite(PROVIDER_SETTINGS, apacheClient(port, SECRET_SHA256));
    const apache = await Apache.start(port, `${site.origin}/account`);
    try {
      const person = newPerson();
      await join(site, person);
      await use({ site, apache, person });
    } finally {
      await apache.stop();
    }
  },
});

/** Opens a page of Apache in a new browser and signs in at the redirect. */
async function signIn(browser: Browser, { apache, person }: Archive): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const hello = page.getByRole('heading', { name: `Hello, ${person.username}` });
  await page.goto(`${apache.origin}${PAGE}`);
  await expect(page.getByText(toArchive)).toBeVisible();
  await signInScreen(page).signIn(person);
  await expect(hello).toBeVisible();
  return { context, page, hello };
}

/** Returns the status of Apache: 200 if the browser has a session at Apache, 302 if not. */
async function statusAt(apache: Apache, { context }: Visit): Promise<number> {
  const answer = await context.request.get(apache.origin, { maxRedirects: 0 });
  return answer.status();
}

test('Apache admits a user who signs in on the way', async ({ browser, archive }) => {
  const { context, page, hello } = await signIn(browser, archive);
  expect(page.url()).toBe(`${archive.apache.origin}${PAGE}`);
  // The session at the provider signs in without a question.
  await context.clearCookies({ name: /^mod_auth_openidc/ });
  await page.goto(archive.apache.origin);
  await expect(hello).toBeVisible();
  await context.close();
});

test('a sign-out at Apache ends the session of the account', async ({ browser, archive }) => {
  const { site, apache } = archive;
  const { context, page } = await signIn(browser, archive);
  const me = `${site.origin}${API}/users/me`;
  expect((await context.request.get(me)).status()).toBe(200);
  const bye = `${apache.origin}/bye.html`;
  await page.goto(`${apache.origin}/oidc/callback?logout=${encodeURIComponent(bye)}`);
  expect(page.url()).toBe(bye);
  expect((await context.request.get(me)).status()).toBe(401);
  await page.goto(apache.origin);
  await expect(page.getByText(toArchive)).toBeVisible();
  await context.close();
});

// security: OP-11
test('a sign-out of the account ends its session at Apache, and no other', async ({
  browser,
  archive,
}) => {
  const { site, apache } = archive;
  const visit = await signIn(browser, archive);
  const other = await signIn(browser, archive);
  expect(await statusAt(apache, visit)).toBe(200);
  // The browser does not visit Apache in the meantime, because the provider notifies Apache by itself.
  const answer = await visit.context.request.post(`${site.origin}${API}/logout`);
  expect(answer.status()).toBe(204);
  await expect.poll(() => statusAt(apache, visit)).toBe(302);
  expect(await statusAt(apache, other)).toBe(200);
  await visit.page.goto(apache.origin);
  await expect(visit.page.getByText(toArchive)).toBeVisible();
  for (const { context } of [visit, other]) await context.close();
});
