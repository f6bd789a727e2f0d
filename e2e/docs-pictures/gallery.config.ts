import { defineConfig } from '@playwright/test';
import { chromium, wholeBrowser } from '../chromium.ts';
import type { SiteOptions } from '../fixtures.ts';

/** `make gallery`: takes the contact sheets of docs/gallery. */
export default defineConfig<object, SiteOptions>({
  testDir: './gallery',
  outputDir: '../../target/gallery',
  fullyParallel: true,
  workers: 2,
  reporter: [['list']],
  use: { ...chromium, ...wholeBrowser },
});
