import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin, type ResolvedConfig } from 'vite';

/**
 * The path from which the server reads the script. It is inlined into the pages, so the server does not serve it as a
 * file.
 */
const FILE = 'screens/early.js';
/** Maximum size in bytes after brotli: each page contains the script. */
const LIMIT = 1150;

/** Builds `src/early/main.ts`, the inline script of each page, into one classic script. */
export function earlyScript(): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'account:early',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    // Runs after `precompress`: the file itself is never sent.
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

/** The script as text. It must not contain the end tag of its element. */
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
