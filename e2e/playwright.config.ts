import { defineConfig } from '@playwright/test';
import { timeLimit } from '../web/build/time-limit.ts';
import { chromium } from './chromium.ts';
import type { SiteOptions } from './fixtures.ts';
import { words } from './words.ts';

const { en: _, ...otherWords } = words;
const inOtherLanguage = ` in (${Object.keys(otherWords).join('|')}) `;

export default defineConfig<object, SiteOptions>({
  testDir: './tests',
  outputDir: '../target/browser-tests',
  fullyParallel: true,
  forbidOnly: true,
  // There are no retries, because retries would hide a flaky test.
  retries: 0,
  // There are three workers for two processors, because one worker per processor left the processors idle for a fifth
  // of the time (docs/decisions/testing.md).
  workers: '150%',
  // The limits are long, because the disk of a shared machine can stop for more than ten seconds.
  timeout: timeLimit(90_000),
  expect: {
    timeout: timeLimit(25_000),
    // Differences of font smoothing are below this limit, but a moved line or another colour exceeds the limit.
    toHaveScreenshot: { maxDiffPixelRatio: 0.02, threshold: 0.2, animations: 'disabled' },
  },
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [['list']],
  // Traces are off, because they take a third of the time. `npx playwright test --trace=on` repeats a failure with one.
  use: { ...chromium, screenshot: 'only-on-failure', actionTimeout: timeLimit(25_000) },
  projects: [
    // Tests tagged @postgres run code that differs by database or by mail transport: in English on PostgreSQL, and on
    // SQLite only in another language. Every other test runs once, on SQLite. The server tests run on both databases.
    {
      name: 'sqlite',
      grepInvert: new RegExp(` in en |^(?!.*${inOtherLanguage}).*@postgres`),
      use: { database: 'sqlite', mail: 'viewer' },
    },
    {
      name: 'postgres',
      grep: /@postgres/,
      grepInvert: new RegExp(inOtherLanguage),
      use: { database: 'postgres', mail: 'smtp' },
    },
  ],
});
