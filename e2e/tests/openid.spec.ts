import { readFileSync } from 'node:fs';
import { type APIRequestContext, request } from '@playwright/test';
import * as openid from 'openid-client';
import { prepareContext } from '../chromium.ts';
import { test as base, expect } from '../fixtures.ts';
import { type ModuleContext, PLANS } from '../openid/modules.ts';
import { CLIENTS, POST_LOGOUT_ADDRESS, PROVIDER_SETTINGS } from '../openid/provider.ts';
import { RelyingParty } from '../openid/relying-party.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, join, newPerson, type Person } from '../site/accounts.ts';
import { shows, startService } from '../site/service.ts';
import { type Site, startSite } from '../site/site.ts';
import { words } from '../words.ts';

interface Provider {
  site: Site;
  person: Person;
}

const test = base.extend<{ trial: ModuleContext }, { provider: Provider }>({
  provider: [
    async ({ database, mail }, use) => {
      const site = await startSite(database, mail, PROVIDER_SETTINGS, CLIENTS);
      const person = newPerson();
      await join(site, person);
      await use({ site, person });
      await site.stop();
    },
    { scope: 'worker' },
  ],

  trial: async ({ provider }, use) => {
    const { site, person } = provider;
    const issuer = `${site.origin}/account`;
    const browsers = [await request.newContext({ baseURL: site.origin })];
    const [own] = browsers;
    if (!own) throw new Error('no browser was launched');
    const login = signsIn(own, person);
    const party = await RelyingParty.at(issuer, own, login);
    await party.login();
    await use({
      party,
      issuer,
      isForm: (text) => text.includes('"signing_in_to":"Couch Wiki"'),
      other: (options) => RelyingParty.at(issuer, own, login, options),
      async stranger() {
        const browser = await request.newContext({ baseURL: site.origin });
        browsers.push(browser);
        return RelyingParty.at(issuer, browser, signsIn(browser, person));
      },
    });
    for (const browser of browsers) await browser.dispose();
  },
});

const signsIn =
  (browser: APIRequestContext, { email, password }: Person) =>
  async (): Promise<void> => {
    const answer = await browser.post(`${API}/login`, { data: { email, password } });
    if (answer.status() !== 200) throw new Error(`the sign-in answered ${answer.status()}`);
  };

for (const [plan, modules] of Object.entries(PLANS)) {
  for (const [name, module] of Object.entries(modules)) {
    if (typeof module === 'string') continue;
    test(`${plan}: ${name}`, ({ trial }) => module(trial));
  }
}

test('the table has the modules of each plan', () => {
  const file = new URL('../../testdata/openid-modules.json', import.meta.url);
  const { plans } = JSON.parse(readFileSync(file, 'utf8'));
  const own = Object.entries(PLANS).map(([plan, modules]) => [plan, Object.keys(modules).sort()]);
  const published = Object.entries<string[]>(plans).map(([plan, names]) => [plan, names.sort()]);
  expect(Object.fromEntries(own)).toEqual(Object.fromEntries(published));
});

test('a wrong secret is refused', async ({ trial }) => {
  const party = await trial.other({ auth: openid.ClientSecretBasic('wrong') });
  await expect(party.signIn()).rejects.toMatchObject({ status: 401 });
});

test('an authorization request selects the language of the form and fills in the address', async ({
  provider,
  trial,
  newBrowser,
}) => {
  const page = await (await newBrowser(provider.site)).newPage();
  const { url } = await trial.party.request({
    login_hint: provider.person.email,
    ui_locales: 'xx de-AT',
  });
  await page.goto(url.href);
  const form = signInScreen(page, words.de);
  await expect(form.heading).toBeVisible();
  await expect(form.email).toHaveValue(provider.person.email);
});

/** The page of an application that opens the popup, and the page that the popup returns to. */
const popupApplication = shows((path) =>
  path.startsWith('/callback')
    ? `<script>opener.postMessage(location.search, '*'); close()</script>`
    : `<script>onmessage = ({ data }) => { document.title = data }</script>`,
);

test('the sign-in in a popup returns the response to the page that opened it', async ({
  provider,
  trial,
  browser,
  launchOptions,
}) => {
  const application = await startService(popupApplication);
  const context = await browser.newContext();
  await prepareContext(context, launchOptions);
  const page = await context.newPage();
  // A public client may use any port of this machine in its redirect URI.
  const origin = application.url.replace('127.0.0.1', 'localhost');
  const party = await trial.other({ id: 'avatar', alg: 'ES256', auth: openid.None() });
  const redirect_uri = `${origin}/callback`;
  const { url } = await party.request({ redirect_uri, display: 'popup' });
  await page.goto(origin);
  const popup = page.waitForEvent('popup');
  await page.evaluate((address) => {
    open(address, 'p', 'width=480,height=640');
  }, url.href);
  await signInScreen(await popup).signIn(provider.person);
  await expect(page).toHaveTitle(/^\?code=/);
  await context.close();
  await application.stop();
});

for (const [what, changes] of [
  ['without an address', {}],
  ['with an unknown address', { post_logout_redirect_uri: `${POST_LOGOUT_ADDRESS}/other` }],
] as const) {
  test(`a sign-out ${what} says so`, async ({ provider, trial, newBrowser }) => {
    const context = await newBrowser(provider.site);
    const party = await RelyingParty.at(
      trial.issuer,
      context.request,
      signsIn(context.request, provider.person),
    );
    await party.login();
    const { tokens } = await party.signIn();
    const parameters = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', ...changes });
    const page = await context.newPage();
    await page.goto(`${trial.issuer}/oidc/logout?${parameters}`);
    const screen = signInScreen(page);
    await expect(screen.status).toContainText(words.en.sign_in.signed_out);
    await page.reload();
    await expect(screen.heading).toBeVisible();
    await expect(screen.status).toHaveCount(0);
  });
}
