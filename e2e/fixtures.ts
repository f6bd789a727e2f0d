import { readFileSync } from 'node:fs';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import type axe from 'axe-core';
import { prepareContext } from './chromium.ts';
import { guard } from './helpers/guard.ts';
import { join, newPerson, type Person, signInByApi } from './site/accounts.ts';
import type { DatabaseKind } from './site/database.ts';
import type { Mailbox } from './site/mailbox.ts';
import type { Settings } from './site/program.ts';
import { type MailKind, type Site, startSite } from './site/site.ts';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** The source of axe. @axe-core/playwright is not used, because it compiles axe twice for each page. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The options of a project, for all its tests. */
export interface SiteOptions {
  database: DatabaseKind;
  mail: MailKind;
}

interface Fixtures {
  /** Whether the guard checks the browser. False for pages that fail on purpose. */
  guarded: boolean;
  mailbox: Mailbox;
  /** A user without an account. */
  person: Person;
  /** A user with an account and a verified email address. */
  member: Person;
  /** The member, who is signed in in the test's browser. */
  signedIn: Person;
  /** Fails if axe finds a violation in the current state of the page. */
  expectAccessible: (page: Page) => Promise<void>;
  /** Starts a separate site with the given settings. */
  startOwnSite: (settings: Settings, regions?: string) => Promise<Site>;
  /** Opens a new browser context, with the same guard. */
  newBrowser: (site?: Site) => Promise<BrowserContext>;
}

export const test = base.extend<Fixtures, SiteOptions & { site: Site }>({
  database: ['sqlite', { option: true, scope: 'worker' }],
  mail: ['viewer', { option: true, scope: 'worker' }],

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
  person: async ({}, use) => use(newPerson()),

  member: async ({ site, person }, use) => {
    await join(site, person);
    await use(person);
  },

  signedIn: async ({ context, member }, use) => {
    await signInByApi(context, member);
    await use(member);
  },

  guarded: [true, { option: true }],

  context: async ({ context, site, guarded, launchOptions }, use) => {
    await prepareContext(context, launchOptions);
    const finish = guarded ? await guard(context, site.origin) : () => undefined;
    await use(context);
    finish();
  },

  // The fixture needs `startOwnSite`, so that its browsers close before the sites stop.
  newBrowser: async ({ browser, site: shared, launchOptions, startOwnSite: _ }, use) => {
    const opened: { context: BrowserContext; finish: () => void }[] = [];
    await use(async (site = shared) => {
      const context = await browser.newContext({ baseURL: site.origin });
      await prepareContext(context, launchOptions);
      opened.push({ context, finish: await guard(context, site.origin) });
      return context;
    });
    for (const { context, finish } of opened) {
      await context.close();
      finish();
    }
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

  expectAccessible: async ({ context }, use) => {
    // The pages of the test load axe together with their own scripts, which takes a fifth of the time of a later load.
    await context.addInitScript({ content: AXE });
    await use(async (page) => {
      if (page.context() !== context) await page.evaluate(AXE);
      const found = await page.evaluate(async () => {
        // The result contains only the violations, not the rules that pass.
        const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
        return violations.map(({ id, help, nodes }) => ({
          rule: id,
          help,
          at: nodes.map(({ html }) => html),
        }));
      });
      expect(found).toEqual([]);
    });
  },
});

export { expect };
