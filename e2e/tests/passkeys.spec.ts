import type { Page } from '@playwright/test';
import { wholeBrowser } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { addAuthenticator, withoutAutofill } from '../helpers/authenticator.ts';
import { pressEnterOn, signInByKeyboard, tabTo } from '../helpers/keys.ts';
import { passkeyOffer } from '../screens/passkey-offer.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API } from '../site/accounts.ts';
import { fill, words } from '../words.ts';

const { security, sign_in, undo, was_this_you } = words.en;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test.use({ ...wholeBrowser, guarded: false });

for (const kind of [
  { transport: 'internal', synced: true },
  { transport: 'usb', synced: false },
] as const) {
  test(`a ${kind.transport} passkey is added, signs in, is renamed and removed`, {
    tag: '@postgres',
  }, async ({ page, signedIn, expectAccessible }) => {
    await addAuthenticator(page, kind);
    await withoutAutofill(page);
    await page.goto('/account/settings/security');
    const region = page.getByRole('region', { name: security.passkeys });
    await expect(region.getByText(security.passkeys_empty)).toBeVisible();
    await button(page, security.passkey_add).click();
    await expect(page.getByRole('status')).toContainText(security.passkey_added);
    const entry = region.getByRole('listitem');
    await expect(entry).toContainText(
      kind.synced ? security.passkey_synced : security.passkey_bound,
    );
    await expectAccessible(page);

    await page.context().request.post(`${API}/logout`);
    await page.goto('/account/');
    await button(page, sign_in.passkey).click();
    await expect(settingsScreen(page).main).toContainText(signedIn.email);
    await page.goto('/account/settings/security');

    const name = (await entry.locator('strong').textContent()) ?? '';
    await button(page, fill(security.passkey_rename, { name })).click();
    await page.getByRole('textbox', { name: security.name }).fill('My key');
    await button(page, security.save).click();
    await expect(entry).toContainText('My key');

    await button(page, fill(security.passkey_remove, { name: 'My key' })).click();
    const question = page.getByRole('dialog', {
      name: fill(security.passkey_remove_title, { name: 'My key' }),
    });
    await question.getByRole('button', { name: security.remove, exact: true }).click();
    await expect(page.getByRole('status')).toContainText(security.passkey_removed);
    await expect(region.getByText(security.passkeys_empty)).toBeVisible();
  });
}

test('the autofill of the email signs in with a passkey', async ({ page, signedIn }) => {
  await addAuthenticator(page, { transport: 'internal', synced: true });
  await page.goto('/account/settings/security');
  await button(page, security.passkey_add).click();
  await expect(page.getByRole('status')).toContainText(security.passkey_added);
  await page.context().request.post(`${API}/logout`);
  // The test waits only for the result, because the virtual authenticator selects its passkey in the autofill at once.
  await page.goto('/account/');
  await expect(settingsScreen(page).main).toContainText(signedIn.email);
});

test('the mailed link tells of a passkey added by a thief, and removes it by keyboard alone', {
  tag: '@postgres',
}, async ({ page, signedIn, mailbox, newBrowser, expectAccessible }) => {
  await addAuthenticator(page, { transport: 'internal', synced: true });
  await page.goto('/account/settings/security');
  await button(page, security.passkey_add).click();
  await expect(page.getByRole('status')).toContainText(security.passkey_added);

  const owner = await (await newBrowser()).newPage();
  await owner.goto(await mailbox.link(signedIn.email, '/account/undo'));
  await expect(owner.getByRole('heading', { level: 1, name: was_this_you.title })).toBeVisible();
  const { passkey_name: name } = words.en.answer;
  const [told = ''] = undo.passkey_added.replace('{{name}}', name).split('{{');
  await expect(owner.getByRole('main')).toContainText(told);
  await expect(owner.getByRole('main')).toContainText(/ with \w+ · \w+\. /);
  await expectAccessible(owner);
  await tabTo(owner, button(owner, was_this_you.yes));
  await owner.keyboard.press('Tab');
  await expect(button(owner, undo.submit)).toBeFocused();
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('status')).toContainText(words.en.answer.credential_removed);
  await expect(owner.getByRole('link', { name: undo.new_password })).toBeVisible();
  await page.reload();
  await expect(signInScreen(page).heading).toBeVisible();
});

test('a password sign-in, the passkey offer and a passkey sign-in work by keyboard alone', async ({
  page,
  member,
  expectAccessible,
}) => {
  await addAuthenticator(page, { transport: 'internal', synced: true });
  await withoutAutofill(page);
  const signIn = signInScreen(page);
  await signIn.open();
  await signInByKeyboard(page, member);

  const settings = settingsScreen(page);
  const offer = passkeyOffer(page);
  await expect(offer.card).toBeVisible();
  await expectAccessible(page);
  await pressEnterOn(page, offer.add);
  await expect(offer.status).toContainText(security.passkey_added);
  await expect(offer.heading).toBeFocused();
  await expectAccessible(page);

  await pressEnterOn(page, settings.signOut);
  await expect(signIn.heading).toBeFocused();
  await pressEnterOn(page, button(page, sign_in.passkey));
  await expect(settings.main).toContainText(member.email);
  await expect(offer.card).toHaveCount(0);
});

test('"Not now" is remembered after sign-out, by keyboard alone', async ({ page, member }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await signInByKeyboard(page, member);
  const settings = settingsScreen(page);
  const offer = passkeyOffer(page);
  await tabTo(page, offer.later);
  await page.keyboard.press('Space');
  await expect(offer.card).toHaveCount(0);
  await expect(settings.heading).toBeFocused();
  const [kept] = (await page.context().cookies()).filter(
    ({ name }) => name === 'account_passkey_offer',
  );
  const days = ((kept?.expires ?? 0) - Date.now() / 1000) / (24 * 60 * 60);
  expect(Math.round(days)).toBe(90);

  await pressEnterOn(page, settings.signOut);
  await expect(signIn.heading).toBeFocused();
  await signInByKeyboard(page, member);
  await expect(settings.main).toContainText(member.email);
  await expect(offer.card).toHaveCount(0);
});
