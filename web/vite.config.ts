import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { budget } from './build/budget.ts';
import { className } from './build/class-names.ts';
import { precompress } from './build/precompress.ts';
import { prerender } from './build/prerender.ts';

// Where `npm run dev` finds the server. Another address: ACCOUNT_DEV_SERVER=http://127.0.0.1:9000
const server = process.env.ACCOUNT_DEV_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/account/',
  css: {
    modules: { generateScopedName: className },
  },
  plugins: [react(), prerender(), precompress(), budget()],
  build: {
    target: 'es2022',
    sourcemap: false,
    // The pages' content policy allows files of our own and nothing inline.
    assetsInlineLimit: 0,
    // One sheet of a few kB: a sheet a screen is one more that the first picture waits for.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files, each of them with what is wanted together. What several groups need is in the first.
          groups: [
            // All of the first screen, also what other screens share with it.
            { name: 'first', tags: ['$initial'], priority: 3 },
            // The other screens,
            { name: 'screens', test: /\/src\/pages\/(?!(use-)?(sign-up|completion))/, priority: 2 },
            // but for the two long forms with their list of countries, the heaviest part.
            { name: 'registration', test: /\/src\/pages\//, priority: 1 },
          ],
        },
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
