import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { budget } from './build/budget.ts';
import { className } from './build/class-names.ts';
import { earlyScript } from './build/early.ts';
import { packScreens, precompress } from './build/precompress.ts';
import { smallPreload } from './build/preload.ts';
import { prerender } from './build/prerender.ts';
import { chunkGroups, screenRoutes } from './build/screens.ts';
import { timeLimit } from './build/time-limit.ts';

// The server of `npm run dev`. To change it: ACCOUNT_DEV_SERVER=http://127.0.0.1:9000
const server = process.env.ACCOUNT_DEV_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/account/',
  css: {
    modules: { generateScopedName: className },
  },
  resolve: {
    alias: {
      // React has the hook that wouter imports for React 17.
      'use-sync-external-store/shim/index.js': 'react',
      // The country field passes downshift a function of its own instead of this library.
      'compute-scroll-into-view': fileURLToPath(new URL('build/no-scrolling.ts', import.meta.url)),
      regexparam: fileURLToPath(new URL('build/route-pattern.ts', import.meta.url)),
    },
  },
  plugins: [
    react(),
    screenRoutes(),
    smallPreload(),
    prerender(),
    precompress(),
    budget(),
    packScreens(),
    earlyScript(),
  ],
  build: {
    target: 'es2022',
    sourcemap: false,
    // Terser makes the output of the bundler's own minifier 0.7 % smaller, and the sign-up 3.5 %.
    minify: 'terser',
    // With parentheses around a function argument, the browser compiles React once instead of twice.
    terserOptions: {
      ecma: 2020,
      compress: { passes: 3, pure_getters: true },
      format: { wrap_func_args: true },
    },
    // Inlined files would be `data:` URLs, which the content security policy allows only for pictures.
    assetsInlineLimit: 0,
    // A single style sheet: one per screen would be a second file that blocks the first paint.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        minify: true,
        codeSplitting: {
          groups: chunkGroups(),
        },
      },
    },
  },
  server: {
    proxy: { '/account/account-api': server, '/account/dev': server },
  },
  test: {
    // A file has a context of its own in a thread that has loaded jsdom: half the CPU time of a process for each file.
    pool: 'vmThreads',
    environment: './src/testing/environment.ts',
    environmentOptions: { jsdom: { url: 'http://localhost/account/' } },
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    // Vitest leaves one processor free by default.
    maxWorkers: '100%',
    restoreMocks: true,
    testTimeout: timeLimit(20_000),
    hookTimeout: timeLimit(10_000),
  },
});
