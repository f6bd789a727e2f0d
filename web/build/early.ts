import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin, type ResolvedConfig } from 'vite';

/**
 * The path from which the server reads the inline script. The server inlines the script into the pages and does not
 * serve the file.
 */
const FILE = 'screens/early.js';
/** Maximum size of the inline script in bytes after brotli. The size matters because each page contains the script. */
const LIMIT = 1200;

/** Builds `src/early/main.ts`, the inline script of each page, into one classic script. */
export function earlyScript(): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'account:early',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    // This plugin runs after `precompress`, because the file itself is never sent and needs no compressed copy.
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const script = await bundleEarlyScript(config.root);
        const bytes = brotliCompressSync(script).length;
        this.info(`early script: ${bytes} bytes of brotli`);
        if (bytes > LIMIT) this.error(`the early script has ${bytes} bytes; the limit is ${LIMIT}`);
        const file = join(config.root, config.build.outDir, FILE);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, script);
      },
    },
  };
}

/** Returns the inline script as text. Throws if the script contains the end tag of its own `script` element. */
async function bundleEarlyScript(root: string): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      copyPublicDir: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: 'src/early/main.ts', output: { format: 'iife' } },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !('output' in result)) throw new Error('the early script was not built');
  const script = result.output[0].code.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error('the early script contains markup');
  return script;
}
