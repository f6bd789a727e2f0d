import { expect, test } from '../fixtures.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

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
