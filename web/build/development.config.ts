import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { className } from './class-names.ts';

/**
 * The screens with React's development build, which says what differs between a drawn page and the one
 * that the scripts would draw; in production a wrong attribute is silent. `e2e/tests/hydration.spec.ts`
 * puts them in the place of the real ones.
 */
export default defineConfig({
  base: '/account/',
  mode: 'development',
  define: { 'process.env.NODE_ENV': '"development"' },
  css: { modules: { generateScopedName: className } },
  plugins: [react()],
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
