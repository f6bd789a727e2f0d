import { defineConfig } from '@playwright/test';
import { chromium, wholeBrowser } from '../chromium.ts';
import type { SiteOptions } from '../fixtures.ts';

const widths = [360, 1280];

/** `make screenshots`: takes the pictures of docs/screenshots, each screen at two widths. */
export default defineConfig<object, SiteOptions>({
  testDir: './screenshots',
  outputDir: '../../target/screenshots',
  fullyParallel: true,
  workers: 2,
  reporter: [['list']],
  use: { ...chromium, ...wholeBrowser, contextOptions: { reducedMotion: 'reduce' } },
  projects: widths.map((width) => ({
    name: `${width}`,
    use: { viewport: { width, height: width === 360 ? 740 : 800 } },
  })),
});
