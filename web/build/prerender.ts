import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type ResolvedConfig } from 'vite';

/** The part of `src/prerender.tsx` that is called here. */
interface Drawer {
  drawAll(): Promise<{ name: string; page: string | undefined; html: string }[]>;
}

/** What a file of the build asks for. */
interface Needs {
  imports: readonly string[];
  styles: readonly string[];
}

/**
 * Writes `screens/{name}.{language}.html`: each public screen as it looks when it opens, with marks where
 * the server puts words and configuration in, and the files that it needs in front. Runs a second
 * build, of the same screens for Node.
 */
export function prerender(): Plugin {
  let config: ResolvedConfig;
  const files = new Map<string, Needs>();
  const pages = new Map<string, string>();
  const entry = new Set<string>();

  return {
    name: 'account:prerender',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const styles = [...(chunk.viteMetadata?.importedCss ?? [])];
        files.set(chunk.fileName, { imports: chunk.imports, styles });
        const first = chunk.isEntry && chunk.facadeModuleId?.endsWith('/index.html');
        if (first) for (const file of withNeeds(chunk.fileName, files)) entry.add(file);
        const page = chunk.facadeModuleId?.match(/\/src\/pages\/([\w-]+)\.tsx$/)?.[1];
        if (page && chunk.isDynamicEntry) pages.set(page, chunk.fileName);
      }
    },
    closeBundle: {
      order: 'pre',
      sequential: true,
      async handler() {
        const folder = join(config.root, config.build.outDir, 'screens');
        await mkdir(folder, { recursive: true });
        const { drawAll } = await buildDrawer(config.root);
        const drawings = await drawAll();
        await Promise.all(
          drawings.map(async ({ name, page, html }) => {
            const head = page ? headOf(page) : '';
            await writeFile(join(folder, `${name}.html`), `${head}<!--body-->${html}`);
          }),
        );
        this.info(`drew ${drawings.length} screens`);
      },
    },
  };

  /** So that a screen whose code comes later has its looks at once, and its code soon. */
  function headOf(page: string): string {
    const chunk = pages.get(page);
    if (!chunk) throw new Error(`the build has no file for the screen "${page}"`);
    const tags = [...withNeeds(chunk, files)]
      .filter((file) => !entry.has(file))
      .map((file) =>
        file.endsWith('.css')
          ? `<link rel="stylesheet" crossorigin href="${config.base}${file}" />`
          : `<link rel="modulepreload" crossorigin href="${config.base}${file}" />`,
      );
    return tags.sort().join('');
  }
}

/** The file, all that it imports, and their styles. */
function withNeeds(file: string, files: ReadonlyMap<string, Needs>, found = new Set<string>()) {
  if (found.has(file)) return found;
  found.add(file);
  const needs = files.get(file);
  for (const style of needs?.styles ?? []) found.add(style);
  for (const next of needs?.imports ?? []) withNeeds(next, files, found);
  return found;
}

async function buildDrawer(root: string): Promise<Drawer> {
  const folder = join(root, 'node_modules', '.prerender');
  await rm(folder, { recursive: true, force: true });
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    build: { ssr: 'src/prerender.tsx', outDir: folder, copyPublicDir: false, target: 'node20' },
  });
  return import(pathToFileURL(join(folder, 'prerender.js')).href);
}
