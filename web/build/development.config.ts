import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { className } from './class-names.ts';
import { screenRoutes } from './screens.ts';

/**
 * Builds the screens with React's development build, which reports every difference between the prerendered and the
 * hydrated page. React's production build ignores wrong attributes. `e2e/tests/hydration.spec.ts` serves these files
 * instead of the production files.
 */
export default defineConfig({
  base: '/account/',
  mode: 'development',
  define: { 'process.env.NODE_ENV': '"development"' },
  css: { modules: { generateScopedName: className } },
  plugins: [react(), screenRoutes()],
  build: {
    outDir: 'node_modules/.development',
    emptyOutDir: true,
    target: 'es2022',
    minify: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: 'src/main.tsx', output: { entryFileNames: 'assets/development.js' } },
  },
});
