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
  tag: '@postgres',
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

test('a second press right after the result appears does not leave the result', async ({
  page,
  site,
  signedIn,
}) => {
  const heading = page.getByRole('heading', { level: 1 });
  const link = page.getByRole('link', { name: common.go_to_sign_in });
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Animation.enable');
  /** Presses the button, and where the link of the result appears. The pause of 400 ms is long, so no press is late. */
  async function pressTwice(name: string, title: string) {
    await devTools.send('Animation.setPlaybackRate', { playbackRate: 0.001 });
    await page.getByRole('button', { name }).click();
    await expect(heading).toHaveText(title);
    const box = await link.boundingBox();
    await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
    await expect(heading).toHaveText(title);
    await devTools.send('Animation.setPlaybackRate', { playbackRate: 1 });
  }

  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/account/delete');
  await page.getByRole('checkbox', { name: deletion.understand }).check();
  await pressTwice(deletion.submit, deletion.done_title);
  await link.click();
  await expect(signInScreen(page).heading).toBeVisible();

  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(await site.mailbox.link(signedIn.email, '/account/restore'));
  await pressTwice(deletion.keep, deletion.restored_title);
  // The pause is only for a pointer.
  await pressEnterOn(page, link);
  await expect(signInScreen(page).heading).toBeVisible();
});
