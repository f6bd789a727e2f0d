import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A build of its own: the pages of the product hold nothing of the gallery. */
export default defineConfig({
  root: here('.'),
  base: '/account/dev/gallery/',
  build: {
    target: 'es2022',
    outDir: here('../dist/dev/gallery'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: here('index.html'), 'stand-in': here('fake-server.ts') },
      // The server names them; a developer's page needs no names that last for ever.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
});
