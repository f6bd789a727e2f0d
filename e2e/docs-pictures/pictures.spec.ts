import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { timeLimit } from '../../web/build/time-limit.ts';
import { expect, test } from '../fixtures.ts';
import { storyOf, useOwnFont, visit } from '../helpers/gallery.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { sampleAppScreen } from '../screens/sample-app.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { join } from '../site/accounts.ts';
import { unpack } from '../site/archive.ts';
import { Program } from '../site/program.ts';
import { SampleApp } from '../site/sample-app.ts';
import { type Language, words } from '../words.ts';
import { type Picture, saveSheet, takePicture, takeWholePage } from './sheet.ts';

const PHONE = { width: 360, height: 740 };
const LANGUAGES = Object.keys(words) as Language[];
/** The fixed time of the browser, so that the pictures do not depend on the date. */
const FIXED_TIME = new Date('2026-04-07T18:30:00Z');

/** The languages of the demo's regions. */
const LANGUAGES_OF_BRANDS: readonly Language[] = ['en', 'en', 'de', 'en', 'en', 'pt', 'es'];

/** The main state of each screen. */
const MAIN_STATES = [
  ['sign-in', 'form'],
  ['sign-in', 'failed'],
  ['sign-up', 'errors'],
  ['request-password', 'sent'],
  ['reset-password', 'typing'],
  ['migration', 'second step'],
  ['completion', 'form'],
  ['verify-email', 'was this you?'],
  ['settings', 'account'],
  ['shell', 'not found'],
] as const;

test.use({ guarded: false, contextOptions: { reducedMotion: 'reduce' }, viewport: PHONE });

test.beforeEach(async ({ page }) => {
  test.setTimeout(timeLimit(600_000));
  await page.clock.setFixedTime(FIXED_TIME);
  await useOwnFont(page);
});

test('overview', async ({ page }) => {
  await withDemo(page, async (demo, [region = '']) => {
    const pictures = await takeStories(
      demo,
      [
        ['sign-up', 'done'],
        ['settings', 'passkey offered'],
        ['activity', 'events'],
      ],
      'en',
      region,
    );
    await demo.goto(`/account/dev/gallery/mail/passkey_added?lang=en&region=${region}`);
    await saveSheet(demo, 'overview', [...pictures, await takePicture(demo)], {
      width: 360,
      columns: 4,
    });
  });
});

test('brands', async ({ page }) => {
  await withDemo(page, async (demo, regions) => {
    const pictures: Picture[] = [];
    for (const [index, region] of regions.entries()) {
      const language = LANGUAGES_OF_BRANDS[index];
      pictures.push(...(await takeStories(demo, [['sign-in', 'form']], language, region)));
    }
    await saveSheet(demo, 'brands', pictures, { width: 240, columns: pictures.length });
  });
});

test('passkeys and two-step verification', async ({ page }) => {
  const passkeys = await takeStories(page, [
    ['settings', 'passkey offered'],
    ['settings', 'offer accepted'],
    ['sign-in', 'form'],
    ['security', 'passkeys'],
  ]);
  await saveSheet(page, 'passkeys', passkeys, { width: 360, columns: 4 });
  const twoStep = await takeStories(page, [
    ['two-step', 'set up'],
    ['two-step', 'recovery codes'],
  ]);
  await saveSheet(page, 'two-step-verification', twoStep, { width: 360, columns: 2 });
});

test('the main screens in every language', async ({ page }) => {
  const pictures: Picture[] = [];
  for (const language of LANGUAGES) {
    for (const [screen, state] of MAIN_STATES) {
      await page.setViewportSize(PHONE);
      await visit(page, storyOf(screen, state), language);
      pictures.push(await takeWholePage(page, `${screen}: ${state}, ${language}`));
    }
  }
  await saveSheet(page, 'languages', pictures, { width: 160, columns: MAIN_STATES.length });
});

test('every mail in every language', async ({ page }) => {
  await withDemo(page, async (demo, [region = '']) => {
    const contents = await demo.request.get('/account/dev/gallery/contents');
    const { mails }: { mails: string[] } = await contents.json();
    const pictures: Picture[] = [];
    for (const kind of mails) {
      for (const language of LANGUAGES) {
        await demo.setViewportSize({ width: 480, height: 640 });
        await demo.goto(`/account/dev/gallery/mail/${kind}?lang=${language}&region=${region}`);
        pictures.push(await takeWholePage(demo, `${kind}, ${language}`));
      }
    }
    await saveSheet(demo, 'mails', pictures, { width: 130, columns: 12 });
  });
});

test('export', async ({ page, site, browser }, testInfo) => {
  const sam = {
    email: 'sam@example.com',
    username: 'SamOnTheCouch',
    password: 'Sunny-Couch-42',
  };
  await declineOffer(page);
  await join(site, sam);
  const signIn = signInScreen(page);
  await signIn.open();
  await signIn.signIn(sam);
  // The test waits here, because the navigation of the sign-in would abort another navigation.
  await expect(settingsScreen(page).main).toContainText(sam.username);
  await page.goto('/account/settings/data');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: words.en.data.download_button }).click();
  const folder = testInfo.outputPath('export');
  await unpack(await (await download).path(), folder);

  const reader = await browser.newPage({ viewport: PHONE });
  await reader.goto(pathToFileURL(`${folder}/index.html`).href);
  await saveSheet(page, 'export', [await takeWholePage(reader)], { width: 360, columns: 1 });
  await reader.close();
});

test('sample application', async ({ page }) => {
  await withDemo(page, async (demo, _regions, program) => {
    const sample = await SampleApp.ofDemo(program);
    const app = sampleAppScreen(demo, sample.origin);
    await app.open();
    const pictures = [await takePicture(demo)];
    await app.signIn.click();
    await expect(app.form).toBeVisible();
    pictures.push(await takePicture(demo));
    await app.fillForm('verified');
    await expect(app.hello('verified')).toBeVisible();
    // The account id is replaced by a fixed id, because the real id is random.
    await app.fact('Account ID').evaluate((shown) => {
      shown.textContent = '019a0000-0000-7000-8000-000000000000';
    });
    pictures.push(await takePicture(demo));
    await app.signOut.click();
    await expect(app.signedOut).toBeVisible();
    pictures.push(await takePicture(demo));
    await saveSheet(demo, 'sample-app', pictures, { width: 360, columns: 4 });
    await sample.stop();
  });
});

/** Runs the function with a page of the demo site and with the demo's regions. */
async function withDemo(
  page: Page,
  take: (page: Page, regions: readonly string[], program: Program) => Promise<void>,
): Promise<void> {
  const program = await Program.start({}, 'demo');
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const context = await browser.newContext({
    baseURL: program.origin,
    reducedMotion: 'reduce',
    viewport: PHONE,
  });
  const demo = await context.newPage();
  await demo.clock.setFixedTime(FIXED_TIME);
  await useOwnFont(demo);
  const contents = await demo.request.get('/account/dev/gallery/contents');
  const { regions }: { regions: { id: string }[] } = await contents.json();
  await take(
    demo,
    regions.map(({ id }) => id),
    program,
  );
  await context.close();
  await program.stop();
}

async function takeStories(
  page: Page,
  stories: readonly (readonly [screen: string, state: string])[],
  language: Language = 'en',
  region = '',
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const [screen, state] of stories) {
    await visit(page, storyOf(screen, state), language, region);
    pictures.push(await takePicture(page));
  }
  return pictures;
}
