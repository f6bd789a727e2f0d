import { defineConfig } from '@playwright/test';
import { chromium } from './chromium.ts';
import type { SiteOptions } from './fixtures.ts';

export default defineConfig<object, SiteOptions>({
  testDir: './tests',
  outputDir: '../target/browser-tests',
  fullyParallel: true,
  forbidOnly: true,
  // No retries: they would hide a flaky test.
  retries: 0,
  // Three workers per two processors: with one worker per processor, the processors were idle for a fifth of the time
  // (docs/decisions/testing.md).
  workers: '150%',
  timeout: 60_000,
  expect: {
    timeout: 10_000,
    // Differences of font smoothing are below this limit; a moved line or another colour exceeds it.
    toHaveScreenshot: { maxDiffPixelRatio: 0.02, threshold: 0.2, animations: 'disabled' },
  },
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [['list']],
  // A trace of every action would take a third of the time: `npx playwright test --trace=on` repeats a failure with it.
  use: { ...chromium, screenshot: 'only-on-failure' },
  projects: [
    { name: 'sqlite', use: { database: 'sqlite', mail: 'viewer' } },
    // Tests tagged @both run code that differs by database or by mail transport.
    { name: 'postgres', grep: /@both/, use: { database: 'postgres', mail: 'smtp' } },
  ],
});
