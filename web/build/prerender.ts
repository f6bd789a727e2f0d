import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type ResolvedConfig } from 'vite';
import { pathInSources, screenRoutes } from './screens.ts';

/** The folder of the prerendered HTML files until `precompress` packs these files. */
export const SCREENS_FOLDER = 'screens';

/** The attribute that makes the browser load a file after all files that the first paint needs. */
const LOW_PRIORITY = 'fetchpriority="low"';

/** The type of the module `src/prerender.tsx`. The plugin calls the export of this module. */
interface Renderer {
  renderAll(): Promise<{ name: string; page: string; html: string }[]>;
}

/**
 * Writes the prerendered HTML of each screen variant into `screens/{name}.{language}.html`, with placeholders for texts
 * and configuration. The preload links of the scripts precede the HTML. Runs a second build of the screens for Node.
 */
export function prerender(): Plugin {
  let config: ResolvedConfig;
  let entry = '';
  /** The imported scripts by the file name of the importing script. */
  const imports = new Map<string, readonly string[]>();
  /** The file name of the script by screen name. */
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
          const page = pathInSources(module)?.match(/^pages\/(.+)\.tsx$/)?.[1];
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

  /** Returns the preload links for those scripts of a screen that the entry script does not import. */
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
 * Makes the browser load the style sheet first, because the first paint of a prerendered screen needs nothing else. The
 * scripts get a low priority, and `src/early/main.ts` runs them after the first paint. `rel="expect"` blocks rendering
 * until the parser reaches `#content`, because slow phones painted the language button before its label.
 */
function styleFirst(html: string): string {
  const [script, source] =
    html.match(/<script type="module" crossorigin src="([^"]+)"><\/script>\s*/) ?? [];
  if (!script) throw new Error('the page has no script');
  const later = `  <link id="entry" rel="modulepreload" ${LOW_PRIORITY} crossorigin href="${source}" />\n  </head>`;
  const above = `<link rel="expect" href="#content" blocking="render" />\n`;
  return html.replace(script, above).replace('</head>', later);
}

/** Returns a script and its transitive imports in the order in which the browser would discover these files. */
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
