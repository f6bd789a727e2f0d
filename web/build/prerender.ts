import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type ResolvedConfig } from 'vite';

/** The browser asks for it when nothing that the first picture needs is left to ask for. */
const LATER = 'fetchpriority="low"';

/** The part of `src/prerender.tsx` that is called here. */
interface Renderer {
  renderAll(): Promise<{ name: string; page: string | undefined; html: string }[]>;
}

/**
 * Writes `screens/{name}.{language}.html`: each public screen as it looks when it opens, with marks where
 * the server puts words and configuration in, and the scripts that it needs in front. Runs a second
 * build, of the same screens for Node.
 */
export function prerender(): Plugin {
  let config: ResolvedConfig;
  let entry = '';
  /** What each script imports. */
  const imports = new Map<string, readonly string[]>();
  /** The script that holds a screen. */
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
          const page = module.match(/\/src\/pages\/([\w-]+)\.tsx$/)?.[1];
          if (page) pages.set(page, chunk.fileName);
        }
      }
    },
    closeBundle: {
      order: 'pre',
      sequential: true,
      async handler() {
        const folder = join(config.root, config.build.outDir, 'screens');
        await mkdir(folder, { recursive: true });
        const { renderAll } = await buildRenderer(config);
        const screens = await renderAll();
        await Promise.all(
          screens.map(async ({ name, page, html }) => {
            const head = page ? headOf(page) : '';
            await writeFile(join(folder, `${name}.html`), `${head}<!--body-->${html}`);
          }),
        );
        this.info(`drew ${screens.length} screens`);
      },
    },
  };

  /** So that a screen whose code comes later has it soon, and all of it at once. */
  function headOf(page: string): string {
    const script = pages.get(page);
    if (!script) throw new Error(`the build has no file for the screen "${page}"`);
    const early = withImports(entry, imports);
    return [...withImports(script, imports)]
      .filter((file) => !early.has(file))
      .map(
        (file) => `<link rel="modulepreload" ${LATER} crossorigin href="${config.base}${file}" />`,
      )
      .join('');
  }
}

/**
 * A screen is drawn before its scripts come, so that its style is what somebody waits for: it goes first,
 * on the connection that is open already, and the scripts do not take the line from it. Nor do they take
 * the processor from the first picture: `early.js` runs them when it is to be seen. And nothing is shown
 * until what stands above the screen is read: on a slow telephone the language button was seen without its
 * word, and moved as that came.
 */
function styleFirst(html: string): string {
  const [script, source] =
    html.match(/<script type="module" crossorigin src="([^"]+)"><\/script>\s*/) ?? [];
  if (!script) throw new Error('the page has no script');
  const later = `  <link id="entry" rel="modulepreload" ${LATER} crossorigin href="${source}" />\n  </head>`;
  const above = `<link rel="expect" href="#content" blocking="render" />\n`;
  return html.replace(script, above).replace('</head>', later);
}

/** The script and all that it imports, in the order in which the browser would find them. */
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
    plugins: [react()],
    css,
    build: { ssr: 'src/prerender.tsx', outDir: folder, copyPublicDir: false, target: 'node20' },
  });
  return import(pathToFileURL(join(folder, 'prerender.js')).href);
}
