import { defineConfig } from '@playwright/test';
import { chromium, wholeBrowser } from '../chromium.ts';
import type { SiteOptions } from '../fixtures.ts';

/** `make docs-pictures`: takes the pictures of docs/pictures. */
export default defineConfig<object, SiteOptions>({
  testDir: '.',
  outputDir: '../../target/docs-pictures',
  fullyParallel: true,
  workers: 2,
  reporter: [['list']],
  use: { ...chromium, ...wholeBrowser },
});
