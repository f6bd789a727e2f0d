import { type APIRequestContext, request } from '@playwright/test';
import * as openid from 'openid-client';
import { test as base, expect } from '../fixtures.ts';
import { type ModuleContext, PLANS } from '../openid/modules.ts';
import { CLIENTS, PROVIDER_SETTINGS } from '../openid/provider.ts';
import { RelyingParty } from '../openid/relying-party.ts';
import { SignInScreen } from '../screens/sign-in.ts';
import { API, join, newPerson, type Person } from '../site/accounts.ts';
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
    ui_locales: 'fr de-AT',
  });
  await page.goto(url.href);
  const form = new SignInScreen(page, words.de);
  await expect(form.heading).toBeVisible();
  await expect(form.email).toHaveValue(provider.person.email);
});
