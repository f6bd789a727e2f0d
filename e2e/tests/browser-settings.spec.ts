import { expect, test } from '../fixtures.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

const { sign_in, sign_up } = words.en;

// The guard is off, because the page logs to the console why the sign-in was not sent.
test.use({ guarded: false });

test('with blocked cookies the sign-in says so, and sends nothing', async ({ page, member }) => {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Emulation.setDocumentCookieDisabled', { disabled: true });
  await page.goto('/account/');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  const signIn = signInScreen(page);
  await signIn.signIn(member);
  await expect(signIn.alert).toContainText(sign_in.cookies_blocked);
  expect(sent.filter((path) => path.endsWith('/login'))).toEqual([]);

  await browser.send('Emulation.setDocumentCookieDisabled', { disabled: false });
  await signIn.signIn(member);
  await expect(settingsScreen(page).heading).toBeVisible();
});

test('a link that the browser prefetches opens when it is clicked', async ({ page }) => {
  const rules = {
    prefetch: [
      { source: 'document', where: { href_matches: '/account/*' }, eagerness: 'conservative' },
    ],
  };
  const body = `<script type="speculationrules">${JSON.stringify(rules)}</script>
    <a href="/account/signup?continue=made-up">Join</a>`;
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.enable');
  const statuses: number[] = [];
  browser.on('Network.responseReceived', ({ response }) => {
    if (response.url.includes('/account/signup?')) statuses.push(response.status);
  });
  await page.route('**/blog', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('/blog');
  await page.getByRole('link', { name: 'Join' }).click();
  await expect(page.getByRole('button', { name: sign_up.submit })).toBeVisible();
  expect(statuses).toEqual([503, 200]);
});
