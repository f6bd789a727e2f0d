import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import { guard } from './guard.ts';
import type { DatabaseKind } from './site/database.ts';
import type { Mailbox } from './site/mailbox.ts';
import { API, join, type Person, somebody } from './site/people.ts';
import type { Settings } from './site/program.ts';
import { type MailKind, type Site, startSite } from './site/site.ts';

/** What a project chooses for all of its tests. */
export interface SiteOptions {
  database: DatabaseKind;
  mail: MailKind;
}

interface Fixtures {
  /** Whether what the browser does is watched; not for pages that are made to fail. */
  guarded: boolean;
  mailbox: Mailbox;
  /** Has no account yet. */
  person: Person;
  /** Has an account and proved its address. */
  member: Person;
  /** The browser of the test, signed in as this member. */
  signedIn: Person;
  /** Fails on anything that axe finds on the page as it stands. */
  expectAccessible: (page: Page) => Promise<void>;
  /** A site of the test's own, with settings of its own. */
  startOwnSite: (settings: Settings, regions?: string) => Promise<Site>;
  /** A browser of somebody else: another context, held to the same rules. */
  newBrowser: (site?: Site) => Promise<BrowserContext>;
}

export const test = base.extend<Fixtures, SiteOptions & { site: Site }>({
  database: ['sqlite', { option: true, scope: 'worker' }],
  mail: ['kept', { option: true, scope: 'worker' }],

  site: [
    async ({ database, mail }, use) => {
      const site = await startSite(database, mail);
      await use(site);
      await site.stop();
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ site }, use) => use(site.origin),

  mailbox: async ({ site }, use) => use(site.mailbox),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
  person: async ({}, use) => use(somebody()),

  member: async ({ site, person }, use) => {
    await join(site, person);
    await use(person);
  },

  signedIn: async ({ context, member }, use) => {
    const answer = await context.request.post(`${API}/login`, {
      data: { email: member.email, password: member.password },
    });
    expect(answer.status()).toBe(200);
    await use(member);
  },

  guarded: [true, { option: true }],

  context: async ({ context, site, guarded }, use) => {
    const finish = guarded ? await guard(context, site.origin) : () => undefined;
    await use(context);
    finish();
  },

  newBrowser: async ({ browser, site: shared }, use) => {
    const finishes: (() => void)[] = [];
    await use(async (site = shared) => {
      const context = await browser.newContext({ baseURL: site.origin });
      finishes.push(await guard(context, site.origin));
      return context;
    });
    for (const finish of finishes) finish();
  },

  startOwnSite: async ({ database, mail }, use) => {
    const sites: Site[] = [];
    await use(async (settings, regions) => {
      const site = await startSite(database, mail, settings, regions);
      sites.push(site);
      return site;
    });
    for (const site of sites) await site.stop();
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern
  expectAccessible: async ({}, use) =>
    use(async (page) => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map((rule) => ({
        rule: rule.id,
        help: rule.help,
        at: rule.nodes.map((node) => node.html),
      }));
      expect(found).toEqual([]);
    }),
});

export { expect };
