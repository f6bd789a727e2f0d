import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from '@playwright/test';

/**
 * The system's Chromium, which Debian keeps patched and needs no download. It can only connect to this machine, so
 * that no test depends on the network or waits for failing DNS lookups.
 */
export const chromium: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: 'chromium',
  viewport: { width: 1280, height: 800 },
  locale: 'en-US',
  launchOptions: {
    executablePath: executable(),
    // Chromium's sandbox does not start as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  },
};

function executable(): string {
  const named = process.env.ACCOUNT_TEST_CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (!found) {
    throw new Error('Chromium is missing: install it, or set ACCOUNT_TEST_CHROMIUM to its path');
  }
  return found;
}
