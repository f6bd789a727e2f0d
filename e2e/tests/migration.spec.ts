import { expect, test } from '../fixtures.ts';
import { pressEnterOn, signInByKeyboard, tabTo, typeInto } from '../helpers/keys.ts';
import { completionScreen } from '../screens/completion.ts';
import { migrationScreen } from '../screens/migration.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { completeAccount, importLegacyAccounts } from '../site/legacy-accounts.ts';
import { fill, words } from '../words.ts';

const NEW_PASSWORD = 'Rainy-Couch-43';
const CONFIRM = '/account/migration';
const COMPLETE = '/account/migration-confirmation';
/** The delay of the redirect after a migration, as in `migration.tsx`. */
const REDIRECT_DELAY_MS = 2000;

for (const language of ['en', 'pt'] as const) {
  const here = words[language];

  test.describe(`migration in ${language}`, () => {
    test.use({ locale: language });

    test('a legacy account is redirected from the sign-in and migrated by keyboard alone', {
      tag: '@postgres',
    }, async ({ page, site, person, mailbox, expectAccessible }) => {
      await importLegacyAccounts(site, completeAccount(person));
      const heading = page.getByRole('heading', { level: 1 });
      const signIn = signInScreen(page, here);
      await page.clock.install();
      await page.goto(`/account/?lang=${language}`);
      await signInByKeyboard(page, person, here);
      const migration = migrationScreen(page, here);
      await expect(migration.heading).toBeFocused();
      await expect(migration.email).toHaveValue(person.email);
      // The screen must explain why the sign-in did not continue, because the password was right.
      await expect(
        page.getByText(fill(here.migration.lead_known, { email: person.email }), { exact: true }),
      ).toBeVisible();
      await expectAccessible(page);
      await pressEnterOn(page, migration.request);
      await expect(migration.status).toContainText(here.answer.migration_sent);
      await expectAccessible(page);

      await page.goto(await mailbox.link(person.email, CONFIRM));
      await expect(migration.confirm).toBeVisible();
      expect(page.url()).not.toContain('token=');
      await expectAccessible(page);
      await typeInto(page, migration.password, NEW_PASSWORD);
      await typeInto(page, migration.confirmation, NEW_PASSWORD);
      await page.keyboard.press('Enter');
      await expect(heading).toHaveText(here.migration.done_title);
      await expect(heading).toBeFocused();
      await expect(migration.status).toContainText(
        fill(here.migration.done, { username: person.username }),
      );
      await expectAccessible(page);
      await page.clock.fastForward(REDIRECT_DELAY_MS);
      await expect(signIn.heading).toBeVisible();
      await signIn.signIn({ ...person, password: NEW_PASSWORD });
      await expect(settingsScreen(page, here).main).toContainText(person.username);
    });

    test('a legacy account with missing data is completed by keyboard alone', {
      tag: '@postgres',
    }, async ({ page, site, person, mailbox, expectAccessible }) => {
      await importLegacyAccounts(site, { email: person.email });
      const migration = migrationScreen(page, here);
      await page.goto(`/account/migration?lang=${language}`);
      await typeInto(page, migration.email, person.email);
      await page.keyboard.press('Enter');
      await expect(migration.status).toBeVisible();

      await page.goto(await mailbox.link(person.email, COMPLETE));
      const completion = completionScreen(page, here);
      await typeInto(page, completion.firstName, 'Ada');
      await typeInto(page, completion.lastName, 'Couch');
      await typeInto(page, completion.country, here.countryvalues.us);
      await typeInto(page, completion.day, '7');
      await tabTo(page, completion.month);
      await page.keyboard.press('ArrowDown');
      await typeInto(page, completion.year, '1989');
      await typeInto(page, completion.zipcode, '97201-1234');
      await typeInto(page, completion.password, NEW_PASSWORD);
      await typeInto(page, completion.confirmation, NEW_PASSWORD);
      await tabTo(page, completion.newsletter);
      await page.keyboard.press('Space');
      await expect(completion.newsletter).toBeChecked();
      await expectAccessible(page);
      expect(page.url()).not.toContain('token=');
      await pressEnterOn(page, completion.submit);
      await expect(completion.status).toContainText(here.completion.done);
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
      await expectAccessible(page);

      const signIn = signInScreen(page, here);
      await page.goto(`/account/?lang=${language}`);
      await signIn.signIn({ ...person, password: NEW_PASSWORD });
      await expect(settingsScreen(page, here).main).toContainText(person.email);
    });
  });
}
