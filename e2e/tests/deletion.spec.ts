import { expect, test } from '../fixtures.ts';
import { pressEnterOn, signInByKeyboard } from '../helpers/keys.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

const { answer, common, data, deletion } = words.en;

test.beforeEach(async ({ page }) => {
  await declineOffer(page);
});

test('an account is deleted, and restored by mail and by a sign-in, by keyboard alone', {
  tag: '@both',
}, async ({ page, site, signedIn, expectAccessible }) => {
  const heading = page.getByRole('heading', { level: 1 });
  const signIn = signInScreen(page);
  async function requestDeletion() {
    await page.goto('/account/settings/data');
    const region = page.getByRole('region', { name: data.delete });
    await pressEnterOn(page, region.getByRole('link', { name: data.delete_link }));
    await expect(heading).toHaveText(deletion.title);
    await expect(heading).toBeFocused();
    const box = page.getByRole('checkbox', { name: deletion.understand });
    const submit = page.getByRole('button', { name: deletion.submit });
    await pressEnterOn(page, submit);
    await expect(page.getByRole('alert')).toContainText(deletion.tick_first);
    await expectAccessible(page);
    await expect(box).toBeFocused();
    await page.keyboard.press('Space');
    await pressEnterOn(page, submit);
    await expect(heading).toHaveText(deletion.done_title);
    await expectAccessible(page);
    await page.reload();
    await expect(heading).toHaveText(deletion.done_title);
  }
  async function keep() {
    await expect(heading).toHaveText(deletion.restore_title);
    await expectAccessible(page);
    await pressEnterOn(page, page.getByRole('button', { name: deletion.keep }));
    await expect(page.getByRole('status')).toContainText(answer.account_restored);
    await expectAccessible(page);
    await pressEnterOn(page, page.getByRole('link', { name: common.go_to_sign_in }));
    await expect(signIn.heading).toBeFocused();
  }

  await requestDeletion();
  // If there is no session, the screen does not offer the deletion.
  await page.goto('/account/delete');
  await expect(signIn.heading).toBeVisible();

  await page.goto(await site.mailbox.link(signedIn.email, '/account/restore'));
  await keep();
  await signInByKeyboard(page, signedIn);

  await expect(signIn.heading).toBeHidden();
  await requestDeletion();
  await signIn.open();
  await signInByKeyboard(page, signedIn);
  await keep();
  await signInByKeyboard(page, signedIn);
  await expect(signIn.heading).toBeHidden();
});
