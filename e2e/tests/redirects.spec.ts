import { expect, test } from '../fixtures.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

const toSignIn = ['/', '/account', '/login', '/account/login', '/account/login?app=wiki'];

for (const path of toSignIn) {
  test(`${path} redirects to the sign-in screen`, async ({ page }) => {
    await page.goto(path);
    await expect(signInScreen(page).heading).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/account/');
  });
}

test('a trailing slash redirects to the path without it', async ({ page }) => {
  const { shell } = words.de;
  for (const { path } of PUBLIC_SCREENS.filter(({ name }) => !/sign-in|not-found/.test(name))) {
    const { pathname } = new URL(path, 'http://localhost');
    await page.goto(inLanguage(`${pathname}/`, 'de'), { waitUntil: 'commit' });
    await expect(page).toHaveURL(inLanguage(pathname, 'de'));
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toBeVisible();
    await expect(heading).not.toHaveText(shell.not_found_title);
  }
  await page.goto('/account/login/?app=wiki');
  await expect(page).toHaveURL('/account/?app=wiki');
});

test('the old address of the first migration step redirects to the migration screen', async ({
  request,
}) => {
  const answer = await request.get('/account/migrate-account/step-1', { maxRedirects: 0 });
  expect([301, 302, 303, 307, 308]).toContain(answer.status());
  expect(answer.headers().location).toBe('/account/migration');
});

for (const language of ['en', 'es'] as const) {
  test(`an unknown address shows a not-found page in ${language} with a link back`, async ({
    page,
  }) => {
    const { common, shell } = words[language];
    await page.goto(`/account/no/such/screen?lang=${language}`);
    await expect(page.getByRole('heading', { name: shell.not_found_title })).toBeVisible();
    await page.getByRole('link', { name: common.go_to_sign_in, exact: true }).click();
    await expect(signInScreen(page, words[language]).heading).toBeVisible();
  });
}

test('the sign-in screen redirects to the settings with a session', async ({ page, signedIn }) => {
  await page.goto('/account/');
  await expect(page).toHaveURL('/account/settings');
  await expect(settingsScreen(page).main).toContainText(signedIn.username);
});

const SESSION_PAGES = [
  '/account/settings',
  '/account/settings/security',
  '/account/settings/security/two-step',
  '/account/settings/data',
  '/account/activity',
  '/account/delete',
  '/.well-known/change-password',
];

for (const path of SESSION_PAGES) {
  test(`${path} redirects to the sign-in screen, which says why`, async ({ page, request }) => {
    for (const [language, { sign_in }] of Object.entries(words)) {
      const headers = { 'Accept-Language': language };
      const prerendered = await (await request.get(path, { headers })).text();
      const body = prerendered.slice(prerendered.indexOf('<main'), prerendered.indexOf('</main>'));
      expect(body).toContain(sign_in.session_needed);
    }
    await watchHydration(page);
    await page.goto(path);
    const signIn = signInScreen(page);
    await expect(signIn.heading).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/account/');
    await untilHydrated(page);
    await expect(page.getByRole('status')).toHaveText(words.en.sign_in.session_needed);
    await page.goto('/account/');
    await expect(signIn.heading).toBeVisible();
    await expect(page.getByRole('status')).toHaveCount(0);
  });
}

test('a redirect_url never leaves the site', async ({ page, member, site }) => {
  const signIn = signInScreen(page);
  for (const elsewhere of ['https://example.org/', '//example.org/', '/\\example.org/']) {
    await page.context().clearCookies({ name: 'session' });
    await page.goto(`/account/?app=nowhere&redirect_url=${encodeURIComponent(elsewhere)}`);
    await signIn.signIn(member);
    await expect(settingsScreen(page).heading).toBeVisible();
    expect(new URL(page.url()).origin).toBe(site.origin);
  }
});
