import { expect, test } from '../fixtures.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { SignInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

const { answer, data, deletion, undo } = words.en;

test.beforeEach(async ({ page }) => {
  await declineOffer(page);
});

test('an account is deleted by keyboard and restored by mail and by a sign-in', {
  tag: '@both',
}, async ({ page, site, signedIn, expectAccessible }) => {
  const heading = page.getByRole('heading', { level: 1 });
  async function requestDeletion() {
    await page.goto('/account/settings/data');
    await page
      .getByRole('region', { name: data.delete })
      .getByRole('link', { name: data.delete_link })
      .click();
    await expect(heading).toHaveText(deletion.title);
    const box = page.getByRole('checkbox', { name: deletion.understand });
    const submit = page.getByRole('button', { name: deletion.submit });
    await submit.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(deletion.tick_first);
    await expectAccessible(page);
    await box.focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await expect(submit).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(heading).toHaveText(deletion.done_title);
    await expectAccessible(page);
  }
  async function keep() {
    await expect(heading).toHaveText(deletion.restore_title);
    await expectAccessible(page);
    await page.getByRole('button', { name: deletion.keep }).click();
    await expect(page.getByRole('status')).toContainText(answer.account_restored);
    await expectAccessible(page);
    await page.getByRole('link', { name: undo.sign_in }).click();
  }
  const signIn = new SignInScreen(page);

  await requestDeletion();
  // Without a session the deletion is not offered.
  await page.goto('/account/delete');
  await expect(signIn.heading).toBeVisible();

  await page.goto(await site.mailbox.link(signedIn.email, '/account/restore'));
  await keep();
  await signIn.signIn(signedIn);

  await expect(signIn.heading).toBeHidden();
  await requestDeletion();
  await signIn.open();
  await signIn.signIn(signedIn);
  await keep();
  await signIn.signIn(signedIn);
  await expect(signIn.heading).toBeHidden();
});
