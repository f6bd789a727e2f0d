import { defineConfig } from '@playwright/test';
import { chromium } from './chromium.ts';
import type { SiteOptions } from './fixtures.ts';

export default defineConfig<object, SiteOptions>({
  testDir: './tests',
  outputDir: '../target/browser-tests',
  fullyParallel: true,
  forbidOnly: true,
  // A test that passes at the second try has found something.
  retries: 0,
  workers: 2,
  timeout: 60_000,
  expect: {
    timeout: 10_000,
    // The smoothing of letters takes less; a line that moved, or a colour, takes more.
    toHaveScreenshot: { maxDiffPixelRatio: 0.02, threshold: 0.2, animations: 'disabled' },
  },
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [['list']],
  use: { ...chromium, trace: 'retain-on-failure' },
  projects: [
    { name: 'sqlite', use: { database: 'sqlite', mail: 'kept' } },
    // Tests tagged @both are those whose path differs with the database or with the way of the mail.
    { name: 'postgres', grep: /@both/, use: { database: 'postgres', mail: 'smtp' } },
  ],
});
