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

for (const language of ['en', 'pt'] as const) {
  const here = words[language];

  test.describe(`migration in ${language}`, () => {
    test.use({ locale: language });

    test('a legacy account is redirected from the sign-in to the migration', {
      tag: '@both',
    }, async ({ page, site, person, mailbox, expectAccessible }) => {
      await importLegacyAccounts(site, completeAccount(person));
      const signIn = signInScreen(page, here);
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

    test('the completion form shows an error at each invalid field', async ({
      page,
      expectAccessible,
    }) => {
      const completion = completionScreen(page, here);
      await page.goto(`${COMPLETE}?migration_token=unknown&lang=${language}`);
      // The country of the region is preselected.
      await expect(completion.country).not.toHaveValue('');
      await completion.country.fill('');
      await completion.submit.click();
      await expect(completion.alert).toBeVisible();
      await expectFieldError(completion.firstName, here.error.missing_field);
      await expectFieldError(completion.lastName, here.error.missing_field);
      await expectFieldError(completion.country, here.error.country_missing);
      await expectFieldError(completion.day, here.error.birthday_invalid);
      await expectFieldError(completion.zipcode, here.error.zipcode_invalid);
      await expectFieldError(completion.password, here.error.password_criteria);
      await expectAccessible(page);

      await completion.fill('Sunny-Couch-42');
      await completion.confirmation.fill('Sunny-Couch-43');
      await completion.zipcode.fill('SW1A 1AA');
      await completion.submit.click();
      await expectFieldError(completion.confirmation, here.error.passwords_differ);
      await expectFieldError(completion.zipcode, here.error.zipcode_invalid);

      await completion.fill('Sunny-Couch-42');
      await completion.submit.click();
      await expect(completion.alert).toContainText(here.completion.failed);
      await expect(completion.alert).toContainText(here.error.migration_link_invalid);
    });

    test('the migration requires eight characters and a matching confirmation', async ({
      page,
    }) => {
      const migration = migrationScreen(page, here);
      await page.goto(`${CONFIRM}?token=unknown&lang=${language}`);
      await migration.choose('Abcdef1');
      await expect(migration.alert).toContainText(here.common.authentication_failed);
      await expectFieldError(migration.password, here.error.password_too_short_migration);
      await migration.choose(NEW_PASSWORD, 'Rainy-Couch-44');
      await expectFieldError(migration.confirmation, here.error.passwords_differ);
      await migration.choose(NEW_PASSWORD);
      await expect(migration.alert).toContainText(here.error.invalid_token);
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

    test('a completion link without a token shows an error', async ({ page }) => {
      const completion = completionScreen(page, here);
      await page.goto(`${COMPLETE}?lang=${language}`);
      await expect(completion.alert).toContainText(here.error.migration_link_invalid);
      await completion.back.click();
      await expect(signInScreen(page, here).heading).toBeVisible();
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

test('after three birthdays under the minimum age the completion is refused', async ({
  page,
  site,
  person,
  mailbox,
}) => {
  await importLegacyAccounts(site, { email: person.email });
  const migration = migrationScreen(page);
  await page.goto(CONFIRM);
  await migration.email.fill(person.email);
  await migration.request.click();
  await page.goto(await mailbox.link(person.email, COMPLETE));
  const completion = completionScreen(page);
  const young = { day: '7', month: '4', year: String(new Date().getUTCFullYear() - 10) };
  await completion.fill(NEW_PASSWORD, young);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await completion.submit.click();
    await expect(completion.alert).toContainText(words.en.error.too_many_attempts);
  }
  await completion.year.selectOption('1989');
  await completion.submit.click();
  await expect(completion.alert).toContainText(words.en.error.too_many_attempts);
});
