import type { BrowserContext, Page } from '@playwright/test';
import { test as base, expect } from '../fixtures.ts';
import { API, newPerson, register } from '../site/accounts.ts';
import { listen } from '../site/http-server.ts';

interface Fixtures {
  /** A browser that opens pages of another origin. */
  victim: BrowserContext;
  /** Opens a page of another origin in the victim's browser. */
  openForeignPage: (html: string) => Promise<Page>;
}

const test = base.extend<Fixtures>({
  victim: async ({ browser, site }, use) => {
    const context = await browser.newContext({ baseURL: site.origin });
    await use(context);
    await context.close();
  },
  openForeignPage: async ({ victim }, use) => {
    const stops: (() => Promise<void>)[] = [];
    await use(async (html) => {
      const foreign = await listen((_request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(html);
      });
      stops.push(foreign.stop);
      const page = await victim.newPage();
      // Another port of the same host is another origin that gets the cookies of the site.
      await page.goto(`http://localhost:${foreign.port}/`);
      return page;
    });
    for (const stop of stops) await stop();
  },
});

async function sessionOf(context: BrowserContext): Promise<number> {
  return (await context.request.get(`${API}/users/me`)).status();
}

/**
 * Returns a page that sends three forged HTTP requests: a form whose text body is the JSON of `data`, and two `fetch`
 * calls. Each request adds a dot to the title when the request has ended.
 */
function forgery(url: string, data: Record<string, string>): string {
  const json = JSON.stringify({ ...data, padding: '' });
  const name = json.slice(0, -2).replaceAll('"', '&quot;');
  return `<!doctype html><title>Win a prize</title>
    <iframe name="sink" onload="if (!this.contentDocument) document.title += '.'"></iframe>
    <form method="post" action="${url}" enctype="text/plain" target="sink">
      <input name="${name}" value="&quot;}">
    </form>
    <script>
      document.forms[0].submit();
      for (const type of ['text/plain', 'application/json']) {
        fetch(${JSON.stringify(url)}, {
          method: 'POST', mode: type === 'text/plain' ? 'no-cors' : 'cors', credentials: 'include',
          headers: { 'content-type': type }, body: ${JSON.stringify(json)},
        }).catch(() => {}).finally(() => { document.title += '.'; });
      }
    </script>`;
}

test('another site cannot sign a visitor in to its own account', async ({
  site,
  victim,
  openForeignPage,
  member,
}) => {
  const { email, password } = member;
  const page = await openForeignPage(forgery(`${site.origin}${API}/login`, { email, password }));
  await expect(page).toHaveTitle('Win a prize...');
  expect(await sessionOf(victim)).toBe(401);
});

test('another site cannot sign a member out or change the address', async ({
  site,
  victim,
  openForeignPage,
  member,
  mailbox,
}) => {
  const { email, password } = member;
  const signedIn = await victim.request.post(`${API}/login`, { data: { email, password } });
  expect(signedIn.status()).toBe(200);
  for (const [path, data] of [
    ['/logout', {}],
    ['/change-email', { email: newPerson().email }],
  ] as const) {
    const page = await openForeignPage(forgery(`${site.origin}${API}${path}`, data));
    await expect(page).toHaveTitle('Win a prize...');
  }
  expect(await sessionOf(victim)).toBe(200);
  expect(await mailbox.unreadCount(email)).toBe(0);
});

test('another site cannot redeem a mailed link', async ({ site, openForeignPage, mailbox }) => {
  const person = newPerson();
  await register(site, person);
  const link = new URL(await mailbox.link(person.email, '/account/verify-email'));
  const call = `${site.origin}${API}/confirm-email${link.search}`;
  const ended = `document.title += '.'`;
  const page = await openForeignPage(`<!doctype html><title>Kittens</title>
    <link rel="prefetch" href="${call}" onload="${ended}" onerror="${ended}">
    <img src="${call}" alt="" onload="${ended}" onerror="${ended}">
    <iframe src="${call}" onload="${ended}"></iframe>`);
  await expect(page).toHaveTitle('Kittens...');
  await page.goto(call);
  const { email, password } = person;
  const answer = await fetch(`${site.origin}${API}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'email_not_verified' });
});

test('no screen can be framed', async ({ site, openForeignPage }) => {
  const page = await openForeignPage(`<!doctype html><title>Frame</title>
    <iframe src="${site.origin}/account/"></iframe>`);
  const [frame] = page.frames().filter((frame) => frame !== page.mainFrame());
  await expect(frame?.locator('input') ?? page.locator('input')).toHaveCount(0);
});

// security: HD-3
test('a mailed token is removed from the address bar and sent only to the API', async ({
  site,
  browser,
  mailbox,
}) => {
  const person = newPerson();
  await register(site, person);
  const page = await browser.newPage();
  const link = await mailbox.link(person.email, '/account/verify-email');
  const token = new URL(link).searchParams.get('token') ?? '';
  expect(token.length).toBeGreaterThan(40);
  const told = new Set<string>();
  page.on('request', (request) => {
    const sent = `${request.url()} ${request.postData()} ${request.headers().referer}`;
    if (sent.includes(token)) told.add(new URL(request.url()).pathname);
  });
  await page.goto(link);
  await expect(page.getByRole('status')).toBeVisible();
  expect(page.url()).not.toContain(token);
  expect([...told].sort()).toEqual([`${API}/confirm-email`, '/account/verify-email']);
  await page.close();
});

test('signing in writes nothing to localStorage or sessionStorage', async ({ page, signedIn }) => {
  await page.goto('/account/settings');
  await expect(page.getByText(signedIn.email)).toBeVisible();
  const kept = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: (await indexedDB.databases()).length,
  }));
  expect(kept).toEqual({ local: {}, session: {}, databases: 0 });
  expect(await page.evaluate(() => document.cookie)).not.toContain('session');
});
