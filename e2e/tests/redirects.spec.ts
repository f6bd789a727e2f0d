import { expect, test } from '../fixtures.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

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
