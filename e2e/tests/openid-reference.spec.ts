import { test as base, request } from '@playwright/test';
import { type ModuleContext, PLANS } from '../openid/modules.ts';
import { Reference } from '../openid/reference.ts';
import { RelyingParty } from '../openid/relying-party.ts';

/** The modules in which the reference provider differs, although both providers conform to OpenID Connect. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'oidcc-server-client-secret-post': 'the reference has one method of authentication per client',
};

/** The client of openid.spec.ts with the reference provider. If a module fails here, the module is wrong. */
const test = base.extend<{ trial: ModuleContext }, { reference: Reference }>({
  reference: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
    async ({}, use) => {
      const reference = await Reference.start();
      await use(reference);
      await reference.stop();
    },
    { scope: 'worker' },
  ],

  trial: async ({ reference }, use) => {
    const { issuer } = reference;
    const own = await request.newContext();
    const other = await request.newContext();
    const party = await RelyingParty.at(issuer, own, reference.signsIn(own));
    await party.login();
    await party.signIn();
    await use({
      party,
      issuer,
      isForm: (text) => reference.isForm(text),
      other: (options) => RelyingParty.at(issuer, own, reference.signsIn(own), options),
      stranger: () => RelyingParty.at(issuer, other, reference.signsIn(other)),
    });
    for (const browser of [own, other]) await browser.dispose();
  },
});

for (const [plan, modules] of Object.entries(PLANS)) {
  // The reference provider asks before each sign-out, but ours asks only if there is no ID token hint of the session.
  if (plan.startsWith('oidcc-rp-initiated-logout')) continue;
  for (const [name, module] of Object.entries(modules)) {
    if (typeof module === 'string' || name in KNOWN_DIFFERENCES) continue;
    test(`reference, ${plan}: ${name}`, ({ trial }) => module(trial));
  }
}
