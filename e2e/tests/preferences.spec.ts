import { expect, test } from '../fixtures.ts';
import { storyOf, visit } from '../helpers/gallery.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';

test.describe('with forced colours', () => {
  test.use({ guarded: false, contextOptions: { forcedColors: 'active' } });

  for (const [screen, name] of [
    ['sign-in', 'failed'],
    ['sign-up', 'errors'],
    ['settings', 'account'],
    ['verify-email', 'was this you?'],
  ] as const) {
    test(`"${screen}: ${name}" keeps its borders`, async ({ page }) => {
      await visit(page, storyOf(screen, name));
      await expect(page.locator('.landscape')).toBeHidden();
      const bare = await page.locator('main button, main input').evaluateAll((elements) =>
        elements
          .filter((element) => element.checkVisibility() && !element.closest('[class*="buttons"]'))
          // The test checks the box of a field, because the border belongs to the box.
          .map((element) => element.closest('[class*="box"]') ?? element)
          .filter((element) => {
            const { appearance, borderStyle } = getComputedStyle(element);
            return borderStyle === 'none' && appearance === 'none';
          })
          .map((element) => element.outerHTML),
      );
      expect(bare).toEqual([]);
    });
  }

  test('a checked checkbox has the native appearance', async ({ page }) => {
    const signUp = signUpScreen(page);
    await signUp.open();
    await signUp.marketing.check();
    await expect(signUp.marketing).toHaveCSS('appearance', 'auto');
  });
});

test.describe('with more contrast', () => {
  test.use({ contextOptions: { contrast: 'more' } });

  test('the border of a field has the colour of the text', async ({ page }) => {
    const signIn = signInScreen(page);
    await signIn.open();
    const color = await signIn.heading.evaluate((heading) => getComputedStyle(heading).color);
    const box = page.locator('main form [class*="box"]').first();
    await expect(box).toHaveCSS('border-top-color', color);
  });
});

test('in print only the screen is visible, dark on white', async ({ page }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.landscape')).toBeHidden();
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('contentinfo')).toBeHidden();
  await expect(signIn.heading).toHaveCSS('color', 'rgb(0, 0, 0)');
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
});

test.describe('with less motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('nothing moves on the sign-in page', async ({ page }) => {
    const signIn = signInScreen(page);
    await signIn.open();
    await expect(signIn.submit).toBeVisible();
    await signIn.email.fill('ada@example.com');
    const moving = await page.evaluate(() =>
      document.getAnimations().filter(({ effect }) => {
        const { duration } = effect?.getComputedTiming() ?? {};
        return Number(duration) > 0;
      }),
    );
    expect(moving).toEqual([]);
  });
});

test('with motion the moon winks once, and it looks away from a password', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const signIn = signInScreen(page);
  await signIn.open();
  const face = page.locator('.landscape .face');
  await expect(face).toHaveCSS('animation-name', 'wink');
  await expect(face).toHaveCSS('animation-iteration-count', '1');
  const eyes = page.locator('.landscape .eyes');
  await expect(eyes).toHaveCSS('translate', '0px');
  await signIn.password.focus();
  await expect(eyes).toHaveCSS('translate', '9px -7px');
});
