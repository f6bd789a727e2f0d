import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { budget } from './build/budget.ts';
import { precompress } from './build/precompress.ts';
import { prerender } from './build/prerender.ts';

// Where `npm run dev` finds the server. Another address: ACCOUNT_DEV_SERVER=http://127.0.0.1:9000
const server = process.env.ACCOUNT_DEV_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/account/',
  plugins: [react(), prerender(), precompress(), budget()],
  build: {
    target: 'es2022',
    sourcemap: false,
    // The pages' content policy allows files of our own and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // All that the first screen needs travels in one file, also where other screens share it.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
  },
  server: {
    proxy: { '/account/account-api': server, '/account/dev': server },
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://localhost/account/' } },
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
