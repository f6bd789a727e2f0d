import { ADA } from '../../web/gallery/state.ts';
import { SCREENS } from '../../web/src/screens.ts';
import { expect, test } from '../fixtures.ts';
import { expectNothingCutOff } from '../helpers/cut-off.ts';
import { eachStep } from '../helpers/each-step.ts';
import { storyOf, visit } from '../helpers/gallery.ts';
import { untilHydrated, watchHydration } from '../helpers/hydration.ts';
import { lineBreaksOf } from '../helpers/line-breaks.ts';
import { inLanguage } from '../screens/all.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { join, newPerson, signInByApi } from '../site/accounts.ts';
import { type Language, words } from '../words.ts';

for (const width of [320, 360, 1280]) {
  test(`the labels of day, month and year are aligned at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });
    for (const language of Object.keys(words) as Language[]) {
      await page.goto(inLanguage('/account/signup', language));
      const { common } = words[language];
      const signUp = signUpScreen(page, words[language]);
      const heights = new Set<number | undefined>();
      for (const [field, name] of [
        [signUp.day, common.day],
        [signUp.month, common.month],
        [signUp.year, common.year],
      ] as const) {
        const id = await field.getAttribute('id');
        const label = page.locator(`label[for="${id}"]`);
        await expect(label).toHaveText(name);
        const box = await label.boundingBox();
        heights.add(box?.y);
      }
      expect([...heights], language).toEqual([expect.any(Number)]);
    }
  });
}

test('a long address in Spanish at 360 px breaks only before its @ and its dots', async ({
  page,
  site,
}) => {
  const person = newPerson();
  person.email = `${person.username}.couch@another.moonlit.hill.example.com`;
  await join(site, person);
  const { email } = person;
  await page.setViewportSize({ width: 360, height: 740 });
  await signInByApi(page.context(), person);
  await page.goto('/account/settings?lang=es');
  await expect(settingsScreen(page, words.es).main).toContainText(email);
  const breaks = await lineBreaksOf(page, email);
  expect(breaks.length).toBeGreaterThan(0);
  for (const at of breaks) expect(at).toMatch(/^[@.]/);
  await expectNothingCutOff(page);
});

test('no heading breaks after a hyphen at 360 px', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await watchHydration(page);
  await page.goto('/account/request-password');
  await untilHydrated(page);
  const heading = page.getByRole('heading', { level: 1 });
  for (const language of Object.keys(words) as Language[]) {
    const texts: Record<string, unknown> = words[language];
    const titles = SCREENS.map(({ title }) => textOf(texts, title));
    for (const title of titles.filter((title) => title.includes('-'))) {
      await heading.evaluate((element, given) => Object.assign(element, given), {
        textContent: title,
        lang: language,
      });
      for (const line of await lineBreaksOf(page, title)) {
        expect(title.slice(0, title.indexOf(line))).not.toMatch(/-$/);
      }
    }
  }
});

/** Returns the text of a dotted translation key. */
function textOf(texts: Record<string, unknown>, key: string): string {
  const text = key
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], texts);
  return String(text);
}

test('on Spanish screens at 360 px an address breaks only before its @ and its dots', async ({
  page,
}) => {
  const { email } = ADA;
  await page.setViewportSize({ width: 360, height: 740 });
  const showing = [
    storyOf('settings', 'account'),
    storyOf('settings', 'email saved'),
    storyOf('sign-up', 'done'),
    storyOf('request-password', 'sent'),
    storyOf('migration', 'sent by the sign-in'),
    storyOf('change-email', 'changed'),
  ];
  await eachStep(
    showing,
    ({ screen, name }) => `${screen}: ${name}`,
    async (story) => {
      await visit(page, story, 'es');
      for (const part of await lineBreaksOf(page, email)) expect(part).toMatch(/^[@.]/);
    },
  );
});
