import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '../fixtures.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { twoStepScreen } from '../screens/second-factor.ts';

// A screenshot equals the view of a phone's camera. zbarimg is in Debian's package zbar-tools.
test('a QR code reader decodes the key from a screenshot', async ({ page, signedIn }, testInfo) => {
  await declineOffer(page);
  const twoStep = twoStepScreen(page);
  await twoStep.open();
  await twoStep.turnOn.click();
  await expect(twoStep.qrCode).toBeVisible();
  const secret = ((await twoStep.key.textContent()) ?? '').replace(/\s/g, '');
  const file = testInfo.outputPath('screen.png');
  await page.screenshot({ path: file });
  const read = await promisify(execFile)('zbarimg', ['--quiet', '--raw', file]);
  const uri = new URL(read.stdout.trim());
  expect(uri.protocol).toBe('otpauth:');
  expect(uri.searchParams.get('secret')).toBe(secret);
  expect(decodeURIComponent(uri.pathname)).toContain(signedIn.email);
});
