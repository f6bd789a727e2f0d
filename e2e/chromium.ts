import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type {
  BrowserContext,
  LaunchOptions,
  PlaywrightTestOptions,
  PlaywrightWorkerOptions,
} from '@playwright/test';
import { withoutAutofill } from './helpers/authenticator.ts';
import { DESKTOP } from './helpers/cut-off.ts';

/**
 * Chromium without windows. A page costs half the CPU time of a page in the whole browser, which opens a window. This
 * shell has no passkey autofill, but claims support for autofill.
 */
const SHELL = 'chromium-headless-shell';
const PROGRAM = process.env.ACCOUNT_TEST_CHROMIUM ?? installed(SHELL) ?? installed('chromium');

/** Makes the pages detect that the shell has no passkey autofill. */
export async function prepareContext(
  context: BrowserContext,
  { executablePath }: LaunchOptions,
): Promise<void> {
  if (executablePath?.endsWith(SHELL)) await withoutAutofill(context);
}

type Options = Partial<PlaywrightTestOptions & PlaywrightWorkerOptions>;

/**
 * The window of a phone, and reduced motion, because drawing 1280 × 800 pixels and the animations takes a third of the
 * CPU time of a test (docs/decisions/testing.md).
 */
const PHONE = { width: 360, height: 740 };

/** The settings for tests of whole flows on a large screen with animations, as most computers have them. */
export const computer: Options = {
  viewport: DESKTOP,
  contextOptions: { reducedMotion: 'no-preference' },
};

/**
 * The system's Chromium, which Debian patches and which needs no download. The browser can only connect to this
 * machine, so that no test depends on the network or on failing DNS lookups.
 */
export const chromium: Options = {
  browserName: 'chromium',
  viewport: PHONE,
  contextOptions: { reducedMotion: 'reduce' },
  locale: 'en-US',
  launchOptions: {
    executablePath: required(PROGRAM),
    // The sandbox is off if root runs the tests, because Chromium's sandbox does not start as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      // The scripts of a test run too briefly to be worth optimising (docs/decisions/testing.md).
      '--js-flags=--no-opt',
      '--disable-quic',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  },
};

/** The whole browser, for tests of the passkey autofill and for pictures, because of its letter positions. */
export const wholeBrowser: Options = {
  launchOptions: {
    ...chromium.launchOptions,
    executablePath: required(process.env.ACCOUNT_TEST_CHROMIUM ?? installed('chromium')),
  },
};

function installed(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function required(path: string | undefined): string {
  if (!path) {
    throw new Error('Chromium is missing: install it, or set ACCOUNT_TEST_CHROMIUM to its path');
  }
  return path;
}
