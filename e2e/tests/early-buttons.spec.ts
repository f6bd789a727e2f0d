import type { Locator, Page, Request } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { delayScripts, openBeforeScripts, waitForFirstPaint } from '../helpers/early.ts';
import { SCREEN_VARIANTS } from '../screens/all.ts';
import { API, join, signInByApi } from '../site/accounts.ts';
import { fill, words } from '../words.ts';

declare global {
  interface Window {
    passkeyDialogs?: number;
  }
}

const {
  common,
  data,
  deletion,
  migration,
  password_reset,
  settings,
  shell,
  change_email,
  second_factor,
  sign_in,
  sign_out,
  undo,
  was_this_you,
  unsubscribe,
} = words.en;

/** The labels of the password fields. */
const PASSWORDS = [
  common.password,
  migration.confirm_password,
  password_reset.new_password,
  password_reset.confirm_password,
  settings.current_password,
  settings.new_password,
  settings.confirm_new_password,
];

/** The message of each failed call of the settings screens. */
const UNAVAILABLE = 'A short break.';

/**
 * The calls that the screens send by themselves. The settings would redirect to the sign-in after a 401, and the screens
 * of undo links would show instead of their buttons that the made-up token is refused.
 */
const LOADED_CALLS = [
  '/users/me',
  '/security',
  '/connected-apps',
  '/passkeys',
  '/data-export',
  '/activity*',
  '/second-factor/totp',
  '/undo-credential/details',
];

/** The POST requests without a click: passkey options for the autofill, and the change of an undo link. */
const LOADED_BY_POST = ['/passkeys/sign-in/options', '/undo-credential/details'];

/**
 * The expected effect of each button, by name, after the scripts are loaded. A button that is not listed fails the
 * test.
 */
const EFFECTS: Readonly<Record<string, (page: Page, button: Locator) => Promise<void>>> = {
  [`${shell.language}: English`]: (page) => expect(page.getByRole('menu')).toBeVisible(),
  ...Object.fromEntries(PASSWORDS.map(showPassword)),
  [common.country_toggle]: (page) => expect(page.getByRole('listbox')).toBeVisible(),
  [sign_in.passkey]: (page) =>
    expect.poll(() => page.evaluate(() => window.passkeyDialogs)).toBe(1),
  [change_email.undo_submit]: expectServerError,
  // A section whose data could not be loaded shows an alert of its own without a click.
  [data.download_button]: (page) =>
    expect(page.getByRole('region', { name: data.download }).getByRole('alert')).toHaveText(
      UNAVAILABLE,
    ),
  [deletion.submit]: (page) =>
    expect(page.getByRole('main').getByRole('alert')).toContainText(deletion.tick_first),
  [deletion.keep]: expectServerError,
  [second_factor.reset_submit]: expectServerError,
  [unsubscribe.submit]: expectServerError,
  [sign_out.submit]: (page) => expect(page).toHaveURL(/\/account\/$/),
  [sign_out.stay]: (page) => expect(page).toHaveURL(/\/account\/(?:settings)?$/),
  [undo.submit]: expectServerError,
  [was_this_you.yes]: (page) => expect(page.getByRole('main').getByRole('status')).toBeVisible(),
};

/** Returns the name and the effect of the button that shows a password. */
function showPassword(field: string) {
  const showsPassword = (_page: Page, button: Locator) =>
    expect(button).toHaveAccessibleName(fill(common.hide_password, { field }));
  return [fill(common.show_password, { field }), showsPassword] as const;
}

/** Expects exactly one error message, because the token is invalid. */
function expectServerError(page: Page): Promise<void> {
  return expect(page.getByRole('main').getByRole('alert')).toBeVisible();
}

/**
 * Expects an error message or an invalid field in the form of the button, because the form is empty. An alert outside
 * of the form may be there without a click, for example if the URL of a mailed link has no token.
 */
function expectFormError(page: Page, button: Locator): Promise<void> {
  const form = page.locator('form').filter({ has: button });
  return expect(form.locator('[role="alert"], [aria-invalid="true"]').first()).toBeVisible();
}

/** Counts the passkey dialogs, and cancels each dialog as a user would. */
async function watchPasskeyDialogs(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.passkeyDialogs = 0;
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = (options) => {
      if (options?.mediation === 'conditional') return get(options);
      window.passkeyDialogs = (window.passkeyDialogs ?? 0) + 1;
      return Promise.reject(new DOMException('', 'NotAllowedError'));
    };
  });
}

/** Expects that the server has accepted the HTTP request. */
function expectSent(page: Page): Promise<void> {
  return expect(page.getByRole('main').getByRole('status')).toContainText(
    words.en.answer.migration_sent,
  );
}

test.use({ guarded: false });

/** The button of the language menu is the same on every page, so that it is pressed on the first page only. */
const buttonsOf = (path: string) =>
  `main button:visible:not([inert] *)${path === '/account/' ? '' : ':not([aria-haspopup="menu"])'}`;

/** The token in the URLs of the mailed links. */
const TOKEN = 'made-up';
// The form of this variant is complete, so the button sends a request and shows no error.
const PREFILLED_PATH = '/account/migration?email=a%40example.com';
for (const { path, signedIn } of SCREEN_VARIANTS) {
  test(`every button of ${path} pressed before the scripts load takes effect afterwards`, async ({
    page,
    site,
    person,
  }) => {
    if (signedIn) {
      await join(site, person);
      await signInByApi(page.context(), person);
    }
    const posts: Request[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const isLoaded = LOADED_BY_POST.some((call) => pathname.endsWith(call));
      if (request.method() === 'POST' && !isLoaded) posts.push(request);
    });
    await watchPasskeyDialogs(page);
    for (const call of LOADED_CALLS) {
      await page.route(`**${API}${call}`, (route) =>
        route.fulfill({ status: 503, json: { code: 'unavailable', detail: UNAVAILABLE } }),
      );
    }
    let number = 0;
    let count = 1;
    for (; number < count; number++) {
      // Opening the same URL again would be a reload, which shows the result of the last press.
      await page.goto('about:blank');
      const releaseScripts = await delayScripts(page);
      await openBeforeScripts(page, path);
      if (signedIn) await expect(page).toHaveURL(path);
      const buttons = page.locator(buttonsOf(path));
      count = await buttons.count();
      if (count === 0) break;
      const handle = await buttons.nth(number).elementHandle();
      if (!handle) throw new Error(`${path} has no button ${number}`);
      const name = await nameOf(handle);
      const kind = await handle.getAttribute('type');
      posts.length = 0;
      // A double click must count as one click.
      await handle.click();
      await handle.click();
      releaseScripts();
      const submitted = path === PREFILLED_PATH ? expectSent : expectFormError;
      const effect = kind === 'submit' ? submitted : EFFECTS[name];
      if (!effect) throw new Error(`no effect is listed for "${name}" of ${path}`);
      await handle.evaluate((element) => element.setAttribute('data-pressed', ''));
      await effect(page, page.locator('[data-pressed]'));
      await expect(page.locator('button[aria-busy]')).toHaveCount(0);
      const sent = posts.map((post) => `${post.url()} ${post.postData()}`);
      expect(sent.length, `${name}: ${sent.join()}`).toBeLessThanOrEqual(1);
      if (path.includes(TOKEN)) expect(sent.filter((post) => !post.includes(TOKEN))).toEqual([]);
      await page.unroute('**/*.js');
    }
  });
}

async function nameOf(button: {
  evaluate: <R>(read: (element: Element) => R) => Promise<R>;
}): Promise<string> {
  return button.evaluate((element) => element.getAttribute('aria-label') ?? element.textContent);
}

test('a link followed before the scripts load keeps `?app=`', async ({ page }) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/?app=episodes');
  await page.getByRole('link', { name: words.en.sign_in.create }).click({ noWaitAfter: true });
  releaseScripts();
  await expect(page).toHaveURL(/\/account\/signup\?app=episodes$/);
  await waitForFirstPaint(page);
  await page.getByRole('link', { name: common.back, exact: true }).click();
  await expect(page).toHaveURL(/\/account\/\?app=episodes$/);
  await page.goto('/account/login?app=episodes&redirect_url=https%3A%2F%2Felsewhere.example');
  await expect(page).toHaveURL(/\/account\/\?app=episodes$/);
});
