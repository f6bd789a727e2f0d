import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type ResolvedConfig } from 'vite';
import { screenRoutes } from './screens.ts';

/** The folder of the screens until they are packed. */
export const SCREENS_FOLDER = 'screens';

/** Loads the file after everything that the first paint needs. */
const LOW_PRIORITY = 'fetchpriority="low"';

/** The export of `src/prerender.tsx` that this plugin calls. */
interface Renderer {
  renderAll(): Promise<{ name: string; page: string; html: string }[]>;
}

/**
 * Writes `screens/{name}.{language}.html`: the prerendered HTML of each screen variant, with placeholders for texts
 * and configuration, preceded by the preload links of its scripts. Runs a second build of the same screens for Node.
 */
export function prerender(): Plugin {
  let config: ResolvedConfig;
  let entry = '';
  /** The imports of each script. */
  const imports = new Map<string, readonly string[]>();
  /** The script of each screen. */
  const pages = new Map<string, string>();

  return {
    name: 'account:prerender',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    transformIndexHtml: { order: 'post', handler: styleFirst },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        imports.set(chunk.fileName, chunk.imports);
        if (chunk.isEntry) entry = chunk.fileName;
        for (const module of chunk.moduleIds) {
          const page = module.match(/\/src\/pages\/(.+)\.tsx$/)?.[1];
          if (page) pages.set(page, chunk.fileName);
        }
      }
    },
    closeBundle: {
      order: 'pre',
      sequential: true,
      async handler() {
        const folder = join(config.root, config.build.outDir, SCREENS_FOLDER);
        await mkdir(folder, { recursive: true });
        const { renderAll } = await buildRenderer(config);
        const screens = await renderAll();
        await Promise.all(
          screens.map(async ({ name, page, html }) => {
            await writeFile(join(folder, `${name}.html`), `${headOf(page)}<!--body-->${html}`);
          }),
        );
        this.info(`prerendered ${screens.length} screens`);
      },
    },
  };

  /** Preload links for the scripts of a screen that the entry script does not import. */
  function headOf(page: string): string {
    const script = pages.get(page);
    if (!script) throw new Error(`the build has no file for the screen "${page}"`);
    const early = withImports(entry, imports);
    return [...withImports(script, imports)]
      .filter((file) => !early.has(file))
      .map(
        (file) =>
          `<link rel="modulepreload" ${LOW_PRIORITY} crossorigin href="${config.base}${file}" />`,
      )
      .join('');
  }
}

/**
 * The screen is prerendered, so the first paint needs only the style sheet: it is loaded first, and the scripts get a
 * low priority. `src/early/main.ts` runs the scripts after the first paint. `rel="expect"` blocks rendering until the parser
 * reaches `#content`; without it, slow phones painted the language button before its label, and the button moved.
 */
function styleFirst(html: string): string {
  const [script, source] =
    html.match(/<script type="module" crossorigin src="([^"]+)"><\/script>\s*/) ?? [];
  if (!script) throw new Error('the page has no script');
  const later = `  <link id="entry" rel="modulepreload" ${LOW_PRIORITY} crossorigin href="${source}" />\n  </head>`;
  const above = `<link rel="expect" href="#content" blocking="render" />\n`;
  return html.replace(script, above).replace('</head>', later);
}

/** The script and its transitive imports, in the order in which the browser would discover them. */
function withImports(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  found = new Set<string>(),
) {
  if (found.has(file)) return found;
  found.add(file);
  for (const next of imports.get(file) ?? []) withImports(next, imports, found);
  return found;
}

async function buildRenderer({ root, css }: ResolvedConfig): Promise<Renderer> {
  const folder = join(root, 'node_modules', '.prerender');
  await rm(folder, { recursive: true, force: true });
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), screenRoutes()],
    css,
    build: { ssr: 'src/prerender.tsx', outDir: folder, copyPublicDir: false, target: 'node20' },
  });
  return import(pathToFileURL(join(folder, 'prerender.js')).href);
}
