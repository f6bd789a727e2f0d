import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { inLanguage, SCREEN_VARIANTS } from '../screens/all.ts';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const ASSETS = `${WEB}node_modules/.development/assets/`;

const SCRIPT = 'text/javascript';
const IMPORT = 'import "/account/assets/development.js";';
/** The sign-in as it opens for whoever brings a session, here one that has ended. */
const SESSION = '/account/?session';

// One browser after the other: the build of the screens is made once.
test.describe.configure({ mode: 'default' });
test.use({ guarded: false });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  const arguments_ = ['vite', 'build', '--config', 'build/development.config.ts'];
  await promisify(execFile)('npx', arguments_, { cwd: WEB });
});

/** Puts React's development build in the place of the scripts. Returns what it complains of. */
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
    // Not under two addresses, which would be two copies of it: the other files import it by its own.
    if (pathname === entry) await route.fulfill({ contentType: SCRIPT, body: IMPORT });
    else if (existsSync(path)) await route.fulfill({ path });
    else await route.continue();
  });
  return complaints;
}

// The shortest words and the longest: a screen is drawn by the same code in each language.
for (const language of ['en', 'de'] as const) {
  test(`no drawn screen in ${language} differs from what the scripts would draw`, async ({
    page,
  }) => {
    test.setTimeout(300_000);
    const complaints = await useDevelopmentBuild(page);
    const found: Record<string, string[]> = {};
    for (const path of [...SCREEN_VARIANTS, '/account/settings', SESSION]) {
      complaints.length = 0;
      if (path === SESSION) {
        const { origin } = new URL(page.url());
        await page.context().addCookies([{ name: 'session', value: 'made-up', url: origin }]);
      }
      await page.goto(inLanguage(path, language));
      await page.waitForLoadState('networkidle');
      if (complaints.length > 0) found[path] = [...complaints];
    }
    expect(found).toEqual({});
  });
}

test('a wrong attribute is complained of', async ({ page }) => {
  const complaints = await useDevelopmentBuild(page);
  await page.route('**/account/', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('id="content"', 'id="contents"');
    await route.fulfill({ response: answer, body });
  });
  await page.goto('/account/');
  await page.waitForLoadState('networkidle');
  expect(complaints).toEqual([expect.stringContaining('A tree hydrated but some attributes')]);
});
