import type { Locator, Page, Route } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { openBeforeScripts } from '../helpers/early.ts';
import { codeStepScreen } from '../screens/second-factor.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

const { common, shell, sign_in, sign_up, password_reset } = words.en;
const ENTRY = '**/account/assets/index-*.js';
const CODE_SCREEN = '**/account/assets/code-screen-*.js';
const PASSKEYS = '**/account/assets/passkeys-*.js';
const PASSWORD_FORM = '**/account/assets/password-form-*.js';
const SCREENS = '**/account/assets/{screens,links,registration}-*.js';

test.use({ guarded: false });

const notFound = (route: Route) => route.fulfill({ status: 404, body: 'Not found' });

/** Returns the number of HTTP requests for each script. */
function countScripts(page: Page): Map<string, number> {
  const counts = new Map<string, number>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
  });
  return counts;
}

for (const [what, answer] of [
  ['is not there', notFound],
  ['cannot be had', (route: Route) => route.abort()],
] as const) {
  test(`an entry script that ${what} is requested again, then an error is shown`, async ({
    page,
    member,
  }) => {
    await page.route(ENTRY, answer);
    const counts = countScripts(page);
    await openBeforeScripts(page, '/account/');
    const signIn = signInScreen(page);
    await signIn.signIn(member);
    await expect(signIn.alert).toContainText(common.unreachable);
    await expect(signIn.alert).toBeFocused();
    await expect(signIn.alert).toBeInViewport();
    await expect(signIn.submit).not.toHaveAttribute('aria-busy');
    // A second submit shows the message again and does not wait endlessly.
    await signIn.submit.click();
    await expect(signIn.alert).toBeFocused();
    await expect(signIn.submit).not.toHaveAttribute('aria-busy');
    // There are at most three HTTP requests: the preload, the first import and the retry.
    for (const [path, count] of counts) expect(count, path).toBeLessThanOrEqual(3);

    await page.unroute(ENTRY);
    await signIn.alert.getByRole('button', { name: common.try_again }).click();
    await expect(signIn.alert).toHaveCount(0);
    await signIn.signIn(member);
    await expect(settingsScreen(page).heading).toBeVisible();
  });
}

test('an entry script that fails once loads at the second attempt, without data loss', async ({
  page,
  member,
}) => {
  // The first import fails and the retry succeeds. The preload is removed, because it would be another HTTP request.
  await page.route('**/account/', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('id="entry" rel="modulepreload"', 'id="entry"');
    await route.fulfill({ response: answer, body });
  });
  await page.route(ENTRY, (route) => route.abort(), { times: 1 });
  await openBeforeScripts(page, '/account/');
  const signIn = signInScreen(page);
  await signIn.signIn(member);
  await expect(settingsScreen(page).heading).toBeVisible();
});

test('a form submitted before a slow entry script loads is sent afterwards', async ({
  page,
  member,
}) => {
  let releaseScripts: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    releaseScripts = resolve;
  });
  await page.route(ENTRY, async (route) => {
    await wait;
    await route.continue();
  });
  await openBeforeScripts(page, '/account/');
  const signIn = signInScreen(page);
  await signIn.signIn(member);
  await expect(signIn.submit).toHaveAttribute('aria-busy', 'true');
  await expect(signIn.alert).toHaveCount(0);
  releaseScripts();
  await expect(settingsScreen(page).heading).toBeVisible();
});

test('the secret of a link survives scripts that fail to load', async ({ page }) => {
  await page.route(ENTRY, notFound);
  await openBeforeScripts(page, '/account/reset-password?token=made-up&lang=en');
  expect(new URL(page.url()).search).toBe('?lang=en');
  await expect(page.getByRole('alert')).toContainText(common.unreachable);
  await page.unroute(ENTRY);
  await page.getByRole('button', { name: common.try_again }).click();
  await expect(page.getByRole('button', { name: password_reset.submit })).toBeVisible();
  expect(new URL(page.url()).search).toBe('?lang=en');
});

test('after a release an open tab reloads once for removed scripts, and works', async ({
  page,
}) => {
  await page.goto('/account/');
  await page.route(SCREENS, notFound);
  // The new release serves the files of its own page.
  page.on('request', async (request) => {
    if (request.isNavigationRequest()) await page.unroute(SCREENS);
  });
  const loads: string[] = [];
  page.on('load', () => loads.push(page.url()));
  await page.getByRole('link', { name: words.en.sign_in.create }).click();
  await expect(page.getByRole('heading', { level: 1, name: sign_up.title })).toBeVisible();
  await expect(page.getByRole('button', { name: sign_up.submit })).toBeVisible();
  await expect.poll(() => loads.length).toBe(1);
});

for (const start of ['/account/', '/account/signup', '/account/verify-email?token=made-up']) {
  test(`a screen whose script is always missing is not requested in a loop, from ${start}`, async ({
    page,
  }) => {
    await page.route(SCREENS, notFound);
    const counts = countScripts(page);
    await page.goto(start);
    if (start === '/account/') {
      await page.getByRole('link', { name: words.en.sign_in.create }).click();
    }
    const alert = page.getByRole('main').getByRole('alert');
    await expect(page.getByRole('heading', { name: shell.error_title })).toBeVisible();
    await expect(alert).toContainText(shell.out_of_date);
    // No further HTTP requests follow when the browser is idle.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    for (const [path, count] of counts) expect(count, path).toBeLessThanOrEqual(5);

    await page.unroute(SCREENS);
    await page.getByRole('button', { name: shell.reload }).click();
    await expect(page.getByRole('heading', { name: shell.error_title })).toHaveCount(0);
    await expect(page.getByRole('main').getByRole('button').nth(1)).toBeVisible();
  });
}

/** Presses `button`, and expects that the page is reloaded for the missing script. */
async function expectReload(page: Page, button: Locator): Promise<void> {
  const reloaded = page.waitForEvent('load');
  await button.click();
  await reloaded;
}

test('a missing script of the second step reloads the page once, and the email stays', async ({
  page,
}) => {
  const json = {
    code: 'second_factor_required',
    detail: '',
    second_factor_token: 'made-up',
    methods: ['totp'],
  };
  await page.route('**/account-api/login', (route) => route.fulfill({ status: 401, json }));
  await page.route(CODE_SCREEN, notFound);
  await page.goto('/account/');
  const signIn = signInScreen(page);
  await signIn.email.fill('ada@example.com');
  await signIn.password.fill('Abcde1');
  await expectReload(page, signIn.submit);
  await expect(signIn.email).toHaveValue('ada@example.com');
  await expect(signIn.status).toContainText(sign_in.session_lost);

  await signIn.password.fill('Abcde1');
  await signIn.submit.click();
  await expect(signIn.alert).toContainText(shell.out_of_date);
  await expect(signIn.alert).toBeFocused();
  await page.unroute(CODE_SCREEN);
  await expectReload(page, signIn.alert.getByRole('button', { name: shell.reload }));
  await expect(signIn.email).toHaveValue('ada@example.com');
  await signIn.password.fill('Abcde1');
  await signIn.submit.click();
  await expect(codeStepScreen(page).code).toBeFocused();
});

test('a missing script of the passkeys reloads the page once, and only after a click', async ({
  page,
}) => {
  await page.route(PASSKEYS, notFound);
  const loads: string[] = [];
  page.on('load', () => loads.push(page.url()));
  const requested = page.waitForRequest(PASSKEYS);
  await page.goto('/account/');
  await requested;
  const passkey = page.getByRole('button', { name: sign_in.passkey, exact: true });
  await expectReload(page, passkey);
  await passkey.click();
  const { alert } = signInScreen(page);
  await expect(alert).toContainText(shell.out_of_date);
  expect(loads).toHaveLength(2);
  await page.unroute(PASSKEYS);
  const options = page.waitForRequest('**/account-api/passkeys/sign-in/options');
  await passkey.click();
  await options;
});

test('a missing form of the password reloads the settings once, and then says why', async ({
  page,
  signedIn,
}) => {
  const settings = settingsScreen(page);
  await page.route(PASSWORD_FORM, notFound);
  await settings.open();
  await expect(settings.main).toContainText(signedIn.username);
  await expectReload(page, settings.changePassword);
  await settings.changePassword.click();
  const alert = settings.main.getByRole('alert');
  await expect(alert).toContainText(shell.out_of_date);
  await expect(alert).toBeFocused();
  await page.unroute(PASSWORD_FORM);
  await settings.changePassword.click();
  await expect(settings.currentPassword).toBeFocused();
  await expect(alert).toHaveCount(0);
});

test('an offline tab shows an error, and works again when the server is back', async ({
  page,
  context,
}) => {
  await page.goto('/account/');
  const signIn = signInScreen(page);
  await signIn.email.fill('ada@example.com');
  await context.setOffline(true);
  await signIn.forgot.click();
  await expect(page.getByRole('alert')).toContainText(common.unreachable);
  await context.setOffline(false);
  await page.getByRole('button', { name: common.try_again }).click();
  await expect(
    page.getByRole('heading', { level: 1, name: password_reset.request_title }),
  ).toBeVisible();
});
