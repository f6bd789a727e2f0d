import { dirname } from 'node:path';
import type { Plugin } from 'vite';
import { SCREENS } from '../src/screens.ts';

const NAME = 'virtual:screens';
const RESOLVED = `\0${NAME}`;
/** Loaded by every page. */
const ENTRY = 'entry';

/**
 * Provides `virtual:screens`, the routes of `screens.json`: bundlers find an import only if its path is a literal, so
 * the imports are generated.
 */
export function screenRoutes(): Plugin {
  return {
    name: 'account:screens',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? routesModule() : undefined),
  };
}

function routesModule(): string {
  const imports: string[] = [];
  const routes = SCREENS.map(({ path, page, chunk }, index) => {
    const file = JSON.stringify(`/src/pages/${page}.tsx`);
    if (chunk !== ENTRY) return `{ path: ${JSON.stringify(path)}, load: () => import(${file}) }`;
    imports.push(`import Screen${index} from ${file};`);
    return `{ path: ${JSON.stringify(path)}, Component: Screen${index} }`;
  });
  return `${imports.join('\n')}\nexport const ROUTES = [${routes.join(',\n')}];\n`;
}

/** The chunks by priority: a module that several of them use is in the first one, which the others then load too. */
const CHUNKS = ['screens', 'registration'];

/** The groups of modules for the bundler: few chunks, by common use. */
export function chunkGroups() {
  const unknown = SCREENS.find(({ chunk }) => chunk !== ENTRY && !CHUNKS.includes(chunk));
  if (unknown) throw new Error(`screens.json: ${unknown.name} has an unknown chunk`);
  const groups = CHUNKS.map((name, index) => ({
    name,
    test: inFolders(SCREENS.filter(({ chunk }) => chunk === name).map(({ page }) => dirname(page))),
    priority: CHUNKS.length - index,
  }));
  return [{ name: 'first', tags: ['$initial' as const], priority: CHUNKS.length + 1 }, ...groups];
}

function inFolders(folders: readonly string[]): RegExp {
  return new RegExp(`/src/pages/(?:${folders.join('|')})/`);
}
