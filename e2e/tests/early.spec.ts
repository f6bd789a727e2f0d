import { expect, test } from '../fixtures.ts';
import { delayScripts, openBeforeScripts } from '../helpers/early.ts';
import { requestPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

declare global {
  interface Window {
    early?: { mounted(part: string): void };
    hydratedAt?: number;
  }
}

test('input typed before the scripts load is kept, including focus and caret', async ({
  page,
  member,
}) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/');
  const signIn = signInScreen(page);
  await signIn.password.fill(member.password);
  await signIn.email.fill(member.email);
  await page.keyboard.press('Home');
  const before = await signIn.heading.boundingBox();
  releaseScripts();
  // The clear button of a field shows that the screen is hydrated.
  await expect(signIn.clearEmail).toBeVisible();
  await expect(signIn.clearPassword).toBeVisible();
  await expect(signIn.email).toHaveValue(member.email);
  await expect(signIn.email).toBeFocused();
  expect(await signIn.heading.boundingBox()).toEqual(before);

  await page.keyboard.type('x');
  await expect(signIn.email).toHaveValue(`x${member.email}`);
  await page.keyboard.press('Backspace');
  await signIn.submit.click();
  await expect(settingsScreen(page).heading).toBeVisible();
});

test('the scripts run after the first paint, not before', async ({ page }) => {
  await page.addInitScript(recordHydrationTime);
  await page.goto('/account/');
  await expect.poll(() => page.evaluate(() => window.hydratedAt)).toBeGreaterThan(0);
  const [painted, started] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    window.hydratedAt ?? Number.NaN,
  ]);
  expect(started).toBeGreaterThan(painted);
});

/** Returns the time when the screen was hydrated. This function runs in the page. */
function recordHydrationTime(): void {
  let early: Window['early'];
  Object.defineProperty(window, 'early', {
    get: () => early,
    set(given: NonNullable<Window['early']>) {
      early = given;
      const { mounted } = given;
      given.mounted = (part) => {
        window.hydratedAt ??= performance.now();
        mounted(part);
      };
    },
  });
}

for (const way of ['by the button', 'by Enter'] as const) {
  test(`a form submitted early ${way} is sent after loading, without a query in the address`, async ({
    page,
    member,
  }) => {
    const releaseScripts = await delayScripts(page);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(`${request.method()} ${request.url()}`));
    await openBeforeScripts(page, '/account/');
    const signIn = signInScreen(page);
    await signIn.email.fill(member.email);
    await signIn.password.fill(member.password);
    if (way === 'by Enter') await page.keyboard.press('Enter');
    else await signIn.submit.click();
    await expect(signIn.submit).toHaveAttribute('aria-busy', 'true');
    expect(new URL(page.url()).search).toBe('');
    releaseScripts();
    await expect(settingsScreen(page).heading).toBeVisible();
    expect(addresses.filter((address) => address.startsWith('POST'))).toEqual([
      expect.stringMatching(/POST .*\/account-api\/login$/),
    ]);
    expect(addresses.join()).not.toContain(encodeURIComponent(member.password));
  });
}

for (const way of ['begun', 'sent'] as const) {
  test(`a registration ${way} early keeps texts, selects, checkbox and country`, async ({
    page,
  }) => {
    const releaseScripts = await delayScripts(page);
    await page.addInitScript(recordAlerts);
    await openBeforeScripts(page, '/account/signup');
    const { common } = words.en;
    const field = (name: string) => page.getByLabel(name, { exact: true });
    const button = page.getByRole('button', { name: words.en.sign_up.submit });
    await field(common.email).fill(`${way}@example.com`);
    await field(common.username).fill(`${way}1`);
    await field(common.password).fill('Abcde1');
    await field(common.country).fill('Germany');
    await field(common.zipcode).fill('10115');
    await field(common.day).fill('5');
    await field(common.month).selectOption('7');
    await field(common.year).selectOption('1990');
    await page.getByRole('checkbox').check();
    const sent = page.waitForRequest((request) => request.url().endsWith('/register'));
    if (way === 'sent') await button.click();
    releaseScripts();
    if (way === 'begun') {
      await expect(page.getByRole('button', { name: 'Clear Email' })).toBeVisible();
      await button.click();
    }
    expect((await sent).postDataJSON()).toEqual({
      email: `${way}@example.com`,
      username: `${way}1`,
      password: 'Abcde1',
      country: 'de',
      zipcode: '10115',
      birthday_day: 5,
      birthday_month: 7,
      birthday_year: 1990,
      marketing_consent: true,
    });
    await expect(page.getByRole('heading', { name: words.en.common.check_email })).toBeVisible();
    expect(await page.evaluate(() => Object.assign({ alerts: [] }, window).alerts)).toEqual([]);
  });
}

test('an address typed early stands in the next form', async ({ page }) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/');
  const signIn = signInScreen(page);
  await signIn.email.fill('ada@example.com');
  releaseScripts();
  await expect(signIn.clearEmail).toBeVisible();
  await signIn.forgot.click();
  await expect(requestPasswordScreen(page).email).toHaveValue('ada@example.com');
});

test('a country typed early opens its list once it is loaded', async ({ page }) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/signup');
  const country = page.getByLabel(words.en.common.country, { exact: true });
  await country.fill('Germ');
  releaseScripts();
  const found = page.getByRole('listbox').getByRole('option');
  await expect(found).toHaveText([words.en.countryvalues.de]);
  await expect(found).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(country).toHaveValue(words.en.countryvalues.de);
});

/** Records the text of every alert, even if the alert is removed again. This function runs in the page. */
function recordAlerts(): void {
  const alerts: (string | null)[] = [];
  Object.assign(window, { alerts });
  new MutationObserver(() => {
    for (const alert of document.querySelectorAll('[role=alert]')) alerts.push(alert.textContent);
  }).observe(document, { childList: true, subtree: true });
}

test('a new password typed early is checked like any other', async ({ page }) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/reset-password?token=made-up');
  const { password_reset, common } = words.en;
  await page.getByLabel(password_reset.new_password, { exact: true }).fill('Abcdef');
  await page.getByLabel(password_reset.confirm_password, { exact: true }).fill('Abcdef');
  await page.keyboard.press('Enter');
  releaseScripts();
  await expect(page.getByRole('alert')).toHaveText(words.en.error.password_digit);
  await expect(
    page.getByText(common.rules_met.replace('{{met}}', '4').replace('{{all}}', '5')),
  ).toBeAttached();
  expect(page.url()).not.toContain('made-up');
});

test('an address from the query does not replace typed text', async ({ page }) => {
  const releaseScripts = await delayScripts(page);
  await openBeforeScripts(page, '/account/migration?email=old%40example.com');
  const email = page.getByLabel(words.en.common.email, { exact: true });
  await email.fill('typed@example.com');
  releaseScripts();
  await expect(page.getByRole('button', { name: 'Clear Email' })).toBeVisible();
  await expect(email).toHaveValue('typed@example.com');
  await page.reload();
  await expect(email).toHaveValue('old@example.com');
});

test.describe('a browser without scripts', () => {
  test.use({ javaScriptEnabled: false, locale: 'de-DE' });

  test('shows the requirement, and sends passwords only to the site', async ({ page }) => {
    await page.goto('/account/');
    const { shell, sign_in, common } = words.de;
    await expect(page.locator('noscript p')).toHaveText(shell.no_script);
    await expect(page.getByRole('heading', { level: 1, name: sign_in.title })).toBeVisible();
    await page.getByLabel(common.email, { exact: true }).fill('ada@example.com');
    await page.getByLabel(common.password, { exact: true }).fill('Abcde1');
    await page.getByRole('button', { name: sign_in.submit, exact: true }).click();
    await expect(page.locator('noscript p')).toHaveText(shell.no_script);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/account/');
  });
});
