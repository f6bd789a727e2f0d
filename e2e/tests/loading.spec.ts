import { expect, test } from '../fixtures.ts';
import { SignInScreen } from '../screens/sign-in.ts';

const screens = [
  '/account/',
  '/account/signup',
  '/account/request-password',
  '/account/reset-password',
  '/account/reset-password?token=made-up',
  '/account/migration',
  '/account/migration?email=a%40example.com',
  '/account/migration?email=a%40example.com&token=made-up',
  '/account/migration-confirmation',
  '/account/migration-confirmation?migration_token=made-up',
  '/account/verify-email',
  '/account/verify-email?token=made-up',
  '/account/change-email',
  '/account/change-email?undo=made-up',
  '/account/change-email?verificationToken=made-up',
  '/account/unsubscribe',
  '/account/unsubscribe?token=made-up',
  '/account/settings',
  '/account/no/such/screen',
];

// A mismatch between what was drawn and what the scripts would draw is thrown, which fails the test.
for (const path of screens) {
  test(`${path} comes drawn, and the scripts take it over as it is`, async ({ page }) => {
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        const drawn = document.querySelector('h1');
        Object.assign(window, { drawn });
      });
    });
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    const kept = await page.evaluate(() => {
      const { drawn } = window as unknown as { drawn: Element | null };
      return drawn !== null && (drawn.isConnected || location.pathname === '/account/');
    });
    expect(kept).toBe(true);
  });
}

test('the sign-in page is there in four requests, and asks nobody who cannot be signed in', async ({
  page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/account/');
  await expect(new SignInScreen(page).heading).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(4);
});

test('nothing moves while a page loads', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['/account/', '/account/signup', '/account/request-password']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
              sum += (entry as PerformanceEntry & { value: number }).value;
            }
          }).observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        }),
    );
    expect(shift, path).toBe(0);
  }
});
