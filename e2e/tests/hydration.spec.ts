import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { timeLimit } from '../../web/build/time-limit.ts';
import { expect, test } from '../fixtures.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { inLanguage, PUBLIC_SCREENS, SIGNED_IN_SCREENS } from '../screens/all.ts';
import { signInByApi } from '../site/accounts.ts';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const ASSETS = `${WEB}node_modules/.development/assets/`;

const SCRIPT = 'text/javascript';
const IMPORT = 'import "/account/assets/development.js";';
/** The sign-in page for an HTTP request with a session cookie, whose session has ended. */
const SESSION = '/account/?session';

// The tests run one after the other, because all tests use the same development build.
test.describe.configure({ mode: 'default' });
test.use({ guarded: false });

test.beforeAll(async () => {
  test.setTimeout(timeLimit(300_000));
  const arguments_ = ['vite', 'build', '--config', 'build/development.config.ts'];
  await promisify(execFile)('npx', arguments_, { cwd: WEB });
});

/** Replaces the scripts by React's development build. Returns its console errors. */
async function useDevelopmentBuild(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to ')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const html = await (await page.request.get('/account/')).text();
  const entry = html.match(/<link id="entry"[^>]* href="([^"]+)"/)?.[1];
  if (!entry) throw new Error('the page has no script');
  await page.route('**/account/assets/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = ASSETS + basename(pathname);
    // The entry script is redirected to its own URL, because the development files import it by that URL. Two URLs
    // would be two instances of the module.
    if (pathname === entry) await route.fulfill({ contentType: SCRIPT, body: IMPORT });
    else if (existsSync(path)) await route.fulfill({ path });
    else await route.continue();
  });
  return complaints;
}

// One language is enough, because the code is the same for all languages. In English, loading.spec.ts fails if a text
// differs, because React's production build then throws.
test('no prerendered screen has a hydration mismatch', async ({ page, context, member }) => {
  test.setTimeout(timeLimit(300_000));
  const complaints = await useDevelopmentBuild(page);
  await watchHydration(page);
  const found: Record<string, string[]> = {};
  async function open(path: string) {
    complaints.length = 0;
    await page.goto(inLanguage(path, 'de'));
    await untilHydrated(page);
    if (complaints.length > 0) found[path] = [...complaints];
  }
  for (const { path } of PUBLIC_SCREENS) await open(path);
  const { origin } = new URL(page.url());
  await context.addCookies([{ name: 'session', value: 'made-up', url: origin }]);
  await open(SESSION);
  await signInByApi(context, member);
  for (const { path } of SIGNED_IN_SCREENS) {
    await open(path);
    expect(new URL(page.url()).pathname).toBe(path);
  }
  expect(found).toEqual({});
});

test('a wrong attribute is reported', async ({ page }) => {
  const complaints = await useDevelopmentBuild(page);
  await page.route('**/account/', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('id="content"', 'id="contents"');
    await route.fulfill({ response: answer, body });
  });
  await page.goto('/account/');
  await expect
    .poll(() => complaints)
    .toEqual([expect.stringContaining('A tree hydrated but some attributes')]);
});
