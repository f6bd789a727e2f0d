import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { API, newPerson, register, signInByApi } from '../site/accounts.ts';
import { completeAccount, importLegacyAccounts } from '../site/legacy-accounts.ts';
import type { Site } from '../site/site.ts';
import { words } from '../words.ts';

const {
  email_verification,
  was_this_you,
  password_reset,
  change_email,
  migration,
  completion,
  unsubscribe,
} = words.en;

/** Opens a mailed link, reloads the page, and expects the secret only in the history state. */
async function openAndReload(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const secrets = [...new URL(link).searchParams]
    .filter(([name]) => name !== 'email')
    .map(([, secret]) => secret);
  expect(secrets).toHaveLength(1);
  for (const secret of secrets) expect(page.url()).not.toContain(secret);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  );
  for (const secret of secrets) expect(stored).not.toContain(secret);
}

/** Expects that the secret is gone, and that a reload shows the result again. */
async function expectResultAfterReload(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => history.state?.link ?? {})).toEqual({});
  const status = page.getByRole('main').getByRole('status');
  const result = await status.innerText();
  await page.reload();
  await expect(status).toHaveText(result, { useInnerText: true });
}

async function post(site: Site, path: string, data: object): Promise<void> {
  const answer = await fetch(`${site.origin}${API}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
  });
  expect(answer.status).toBe(200);
}

/** Blocks the API, so that nothing redeems the link while the page is opened and reloaded. */
async function blockApi(page: Page, path: string): Promise<() => Promise<void>> {
  const url = `**${API}${path}*`;
  await page.route(url, (route) => route.abort());
  return () => page.unroute(url);
}

test.describe('reloading the page of a mailed link keeps its secret, and then its result', () => {
  test.use({ guarded: false });

  test('verification, with a retry after a failure', async ({ page, site, person }) => {
    await register(site, person);
    const link = await site.mailbox.link(person.email, '/account/verify-email');
    const back = await blockApi(page, '/confirm-email');
    await openAndReload(page, link);
    const again = page.getByRole('button', { name: words.en.common.try_again });
    await expect(again).toBeVisible();
    await back();
    await again.click();
    await expect(page.getByRole('status')).toContainText(words.en.answer.email_verified);
    await expectResultAfterReload(page);
  });

  test('reset', async ({ page, site, member }) => {
    await post(site, '/reset-password', { email: member.email });
    await openAndReload(page, await site.mailbox.link(member.email, '/account/reset-password'));
    await page.getByLabel(password_reset.new_password, { exact: true }).fill('New-Couch-43');
    await page.getByLabel(password_reset.confirm_password, { exact: true }).fill('New-Couch-43');
    await page.getByRole('button', { name: password_reset.submit }).click();
    await expect(page.getByRole('status')).toContainText(words.en.answer.reset_done);
    await expectResultAfterReload(page);
  });

  test('a new address, and its undo', async ({ page, site, member }) => {
    await signInByApi(page.context(), member);
    const { email } = newPerson();
    const answer = await page.context().request.post(`${API}/change-email`, { data: { email } });
    expect(answer.status()).toBe(200);
    const back = await blockApi(page, '/confirm-email-change');
    await openAndReload(page, await site.mailbox.link(email, '/account/change-email'));
    await back();
    await page.getByRole('button', { name: words.en.common.try_again }).click();
    await expect(page.getByRole('status')).toContainText(words.en.answer.email_changed);
    await expectResultAfterReload(page);

    await openAndReload(page, await site.mailbox.link(member.email, '/account/change-email'));
    await expect(page.getByRole('main')).toContainText(`It’s now ${email[0]}…@`);
    await page.getByRole('button', { name: change_email.undo_submit }).click();
    await expect(page.getByRole('status')).toContainText(words.en.answer.email_restored);
    await expectResultAfterReload(page);
    await page.getByRole('link', { name: words.en.undo.new_password }).click();
    const field = page.getByRole('textbox', { name: words.en.common.email });
    await expect(field).toHaveValue(member.email);
  });

  test('migration', async ({ page, site, person }) => {
    await importLegacyAccounts(site, completeAccount(person));
    await post(site, '/migration', { email: person.email });
    await openAndReload(page, await site.mailbox.link(person.email, '/account/migration'));
    await page.getByLabel(migration.new_password, { exact: true }).fill('New-Couch-43');
    await page.getByLabel(migration.confirm_password, { exact: true }).fill('New-Couch-43');
    await page.getByRole('button', { name: migration.confirm }).click();
    await expect(page.getByRole('heading', { name: migration.done_title })).toBeVisible();
    await expectResultAfterReload(page);
  });

  test('completion of a migration', async ({ page, site, person }) => {
    await importLegacyAccounts(site, { email: person.email });
    await post(site, '/migration', { email: person.email });
    const link = await site.mailbox.link(person.email, '/account/migration-confirmation');
    await openAndReload(page, link);
    await expect(page.getByRole('button', { name: completion.submit })).toBeVisible();
    expect(await page.evaluate(() => history.state.link)).toEqual({
      migration_token: new URL(link).searchParams.get('migration_token'),
    });
  });

  test('approval of a device', async ({ page, site, member, newBrowser }) => {
    await signInByApi(page.context(), member);
    const elsewhere = await newBrowser();
    const { email, password } = member;
    const refused = await elsewhere.request.post(`${API}/login`, { data: { email, password } });
    expect(refused.status()).toBe(403);
    await openAndReload(page, await site.mailbox.link(email, '/account/verify-email'));
    await page.getByRole('button', { name: was_this_you.yes }).click();
    const [, approved = ''] = email_verification.device_elsewhere.split('{{device}}');
    await expect(page.getByRole('status')).toContainText(approved);
    await expectResultAfterReload(page);
  });

  test('unsubscribing from invitations', async ({ page, site }) => {
    await page.route(`**${API}/unsubscribe`, (route) =>
      route.fulfill({ json: { message: 'done', code: 'unsubscribed' } }),
    );
    const sent = page.waitForRequest(`**${API}/unsubscribe`);
    await openAndReload(page, `${site.origin}/account/unsubscribe?token=made-up`);
    await page.getByRole('button', { name: unsubscribe.submit }).click();
    expect((await sent).postDataJSON()).toEqual({ token: 'made-up' });
    await expect(page.getByRole('status')).toContainText(words.en.answer.unsubscribed);
    await expectResultAfterReload(page);
  });
});
