import { request } from '@playwright/test';
import * as openid from 'openid-client';
import { test as base, expect } from '../fixtures.ts';
import {
  BACK_CHANNEL,
  BASIC,
  CONFIG,
  type Module,
  RP_INITIATED_LOGOUT,
  type Trial,
} from '../openid/modules.ts';
import { CLIENTS, PROVIDER_SETTINGS } from '../openid/provider.ts';
import { RelyingParty } from '../openid/relying-party.ts';
import { SignInScreen } from '../screens/sign-in.ts';
import { join, newPerson, type Person } from '../site/accounts.ts';
import { type Site, startSite } from '../site/site.ts';
import { words } from '../words.ts';

interface Provider {
  site: Site;
  person: Person;
}

const test = base.extend<{ trial: Trial }, { provider: Provider }>({
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
    const party = await RelyingParty.at(issuer, own, person);
    await party.login();
    await use({
      party,
      issuer,
      other: (options) => RelyingParty.at(issuer, own, person, options),
      async stranger() {
        const browser = await request.newContext({ baseURL: site.origin });
        browsers.push(browser);
        return RelyingParty.at(issuer, browser, person);
      },
    });
    for (const browser of browsers) await browser.dispose();
  },
});

/** The certification plans of the OpenID Foundation, by the names of their modules. The client is npm openid-client. */
const PLANS: Readonly<Record<string, Readonly<Record<string, Module>>>> = {
  'oidcc-basic': BASIC,
  'oidcc-rp-initiated-logout': RP_INITIATED_LOGOUT,
  'oidcc-backchannel': BACK_CHANNEL,
  'oidcc-config': CONFIG,
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

test('a request chooses the language of the form and fills in the address', async ({
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
