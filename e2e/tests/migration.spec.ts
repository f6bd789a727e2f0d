import { expect, test } from '../fixtures.ts';
import { expectFieldError } from '../helpers/field-error.ts';
import { completionScreen } from '../screens/completion.ts';
import { migrationScreen } from '../screens/migration.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { newPerson } from '../site/accounts.ts';
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

    test('a legacy account is redirected from the sign-in to the migration', {
      tag: '@both',
    }, async ({ page, site, person, mailbox, expectAccessible }) => {
      await importLegacyAccounts(site, completeAccount(person));
      const signIn = signInScreen(page, here);
      await page.clock.install();
      await page.goto(`/account/?lang=${language}`);
      await signIn.signIn(person);
      const migration = migrationScreen(page, here);
      await expect(migration.heading).toBeVisible();
      await expect(migration.email).toHaveValue(person.email);
      // The screen must explain why the sign-in did not continue, because the password was right.
      await expect(
        page.getByText(fill(here.migration.lead_known, { email: person.email }), { exact: true }),
      ).toBeVisible();
      await expectAccessible(page);
      await migration.request.click();
      await expect(migration.status).toContainText(here.answer.migration_sent);
      await expectAccessible(page);

      await page.goto(await mailbox.link(person.email, CONFIRM));
      await expect(migration.confirm).toBeVisible();
      expect(page.url()).not.toContain('token=');
      await expectAccessible(page);
      await migration.choose(NEW_PASSWORD);
      await expect(migration.status).toContainText(
        fill(here.migration.done, { username: person.username }),
      );
      await expectAccessible(page);
      await page.clock.fastForward(REDIRECT_DELAY_MS);
      await expect(signIn.heading).toBeVisible();
      await signIn.signIn({ ...person, password: NEW_PASSWORD });
      await expect(settingsScreen(page, here).main).toContainText(person.username);
    });

    test('a legacy account with missing data is completed', { tag: '@both' }, async ({
      page,
      site,
      person,
      mailbox,
      expectAccessible,
    }) => {
      await importLegacyAccounts(site, { email: person.email });
      const migration = migrationScreen(page, here);
      await page.goto(`/account/migration?lang=${language}`);
      await migration.email.fill(person.email);
      await migration.request.click();
      await expect(migration.status).toBeVisible();

      await page.goto(await mailbox.link(person.email, COMPLETE));
      const completion = completionScreen(page, here);
      await completion.fill(NEW_PASSWORD);
      await expectAccessible(page);
      expect(page.url()).not.toContain('token=');
      await completion.submit.click();
      await expect(completion.status).toContainText(here.completion.done);
      await expectAccessible(page);

      const signIn = signInScreen(page, here);
      await page.goto(`/account/?lang=${language}`);
      await signIn.signIn({ ...person, password: NEW_PASSWORD });
      await expect(settingsScreen(page, here).main).toContainText(person.email);
    });

    test('the migration request requires an address and responds alike to all', async ({
      page,
      mailbox,
    }) => {
      const nobody = newPerson().email;
      const migration = migrationScreen(page, here);
      await page.goto(`${CONFIRM}?lang=${language}`);
      await migration.request.click();
      await expectFieldError(migration.email, here.error.email_invalid_migration);
      await migration.email.fill(nobody);
      await migration.request.click();
      await expect(migration.status).toContainText(here.answer.migration_sent);
      expect(await mailbox.unreadCount(nobody)).toBe(0);
    });
  });
}

test('an address in a link does not reveal whether an account exists', async ({
  page,
  site,
  person,
}) => {
  await importLegacyAccounts(site, completeAccount(person));
  await page.goto(`${CONFIRM}?${new URLSearchParams({ email: person.email })}`);
  await expect(migrationScreen(page).email).toHaveValue(person.email);
  await expect(page.getByText(words.en.migration.lead, { exact: true })).toBeVisible();
  await expect(page.getByText(person.email)).toHaveCount(0);
});

test('a wrong password does not reveal a legacy account', async ({ page, site, person }) => {
  await importLegacyAccounts(site, completeAccount(person));
  const signIn = signInScreen(page);
  await signIn.open();
  await signIn.signIn({ ...person, password: 'Wrong-Couch-42' });
  await expect(signIn.alert).toContainText(words.en.error.invalid_credentials);
  await expect(page).toHaveURL('/account/');
});
