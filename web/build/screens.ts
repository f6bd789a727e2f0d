import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { SCREENS } from '../src/screens.ts';

const NAME = 'virtual:screens';
const RESOLVED = `\0${NAME}`;
/** The name of the chunk that every page loads. */
const ENTRY = 'entry';
const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Returns the path of a module below `src/`, or undefined for a module from elsewhere. Only this path may decide about a
 * module, because the checkout can be in a folder of any name.
 */
export function pathInSources(id: string): string | undefined {
  return id.startsWith(SOURCES) ? id.slice(SOURCES.length) : undefined;
}

/**
 * Provides the module `virtual:screens` with the routes of `screens.json`. The imports in this module are generated,
 * because a bundler finds an import only if its path is a literal.
 */
export function screenRoutes(): Plugin {
  let unused: readonly string[] = [];
  return {
    name: 'account:screens',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? routesModule() : undefined),
    /** Finds patterns that match no module. The file of such a pattern was renamed or removed. */
    generateBundle() {
      if (this.environment.name !== 'client') return;
      const modules = [...this.getModuleIds()];
      unused = GROUPED_MODULES.filter((path) => {
        return !modules.some(isOneOf([path]));
      });
    },
    closeBundle: {
      // This check runs before the plugin `prerender`, whose error would hide the error of this check.
      order: 'pre',
      sequential: true,
      handler() {
        if (unused.length > 0) this.error(`no module matches ${unused.join(', ')}`);
      },
    },
  };
}

function routesModule(): string {
  const imports: string[] = [];
  const routes = SCREENS.map(({ path, page, chunk, title, signedIn = false }, index) => {
    const file = JSON.stringify(`/src/pages/${page}.tsx`);
    const common = `path: ${JSON.stringify(path)}, signedIn: ${signedIn}`;
    if (chunk !== ENTRY) {
      return `{ ${common}, title: ${JSON.stringify(title)}, load: () => import(${file}) }`;
    }
    imports.push(`import Screen${index} from ${file};`);
    return `{ ${common}, Component: Screen${index} }`;
  });
  return `${imports.join('\n')}\nexport const ROUTES = [${routes.join(',\n')}];\n`;
}

/** The modules that several screens share, by chunk name. All other modules outside of `pages/` are in `common`. */
const SHARED_MODULES = {
  // The sign-in loads this chunk after the sign-in form is interactive.
  passkeys: ['api/passkey-sign-in', 'features/passkeys/webauthn', 'pages/sign-in/passkey-sign-in'],
  // Only the screens of signed-in users share the modules of this chunk.
  'signed-in': [
    'api/(?:second-factor|security)\\.',
    'components/(?:confirmation|section|settings-nav)',
    'forms/use-inline-focus',
    'features/passkeys/postponed-offer',
    'features/reauthentication/use-',
    'browser/save-file',
    'features/second-factor/load-security',
    'hooks/use-session-end',
    'pages/security/(?:passkey-offer|use-passkey-change)',
    'api/passkeys',
  ],
  // This chunk has the fields for a new password, the estimate of the password strength, and the error summary of the
  // same forms.
  'new-password': [
    'components/(?:checklist|marked-fields|new-password|password-hint)',
    'validation/password',
  ],
  // This chunk has the form that sends the verification link again, which two screens show.
  resend: ['api/registration', 'components/resend-verification'],
  // This chunk has the field for second-factor codes. The sign-in loads the chunk while the password is verified.
  codes: ['features/second-factor/', 'validation/code'],
};

/** The fields and rules of the registration and completion forms, which are in the chunks of these screens. */
const LONG_FORM_MODULES = [
  'api/age-refusals',
  'components/(?:(?:country|birthday|select)-field|terms-text)',
  'countries/',
  'forms/use-age-gate',
  'validation/(?:birthday|username|zipcode)',
];

/** The modules that only the screens of one chunk share. Screens of other chunks do not load these modules. */
const SCREEN_MODULES: Readonly<Record<string, readonly string[]>> = {
  links: ['api/credential-undo', 'components/link-failure', 'hooks/use-(?:link-action|redemption)'],
  screens: ['api/password-reset'],
};

/** All modules that are not in the chunk `common`. */
const GROUPED_MODULES = [
  ...Object.values(SHARED_MODULES).flat(),
  ...LONG_FORM_MODULES,
  ...Object.values(SCREEN_MODULES).flat(),
];

/** The chunk `common`: modules outside of `pages/` without another chunk, and style sheets that several pages share. */
const COMMON_MODULES = [`(?!${['pages/', ...GROUPED_MODULES].join('|')})`, 'pages/.*\\.css$'];

/** The chunk of a screen. A module that several screens use is in the chunk `common`. */
const SCREEN_CHUNKS = [...new Set(SCREENS.map(({ chunk }) => chunk))].filter(
  (chunk) => chunk !== ENTRY,
);

/**
 * The groups of modules for the bundler. Modules are grouped by the screens that use them, which results in few chunks.
 * A group includes the imports of its modules, except modules of an earlier group.
 */
export function chunkGroups() {
  for (const { name, page } of SCREENS) {
    if (!page.includes('/')) {
      throw new Error(`screens.json: ${name}: the page is not in a folder of its own`);
    }
  }
  // The order matters, because the router uses the first route that matches.
  if (SCREENS.findIndex(({ path }) => path === null) !== SCREENS.length - 1) {
    throw new Error('screens.json: the screen of all other addresses must be the last one');
  }
  const { passkeys, ...shared } = SHARED_MODULES;
  const groups = [
    { name: 'first', tags: ['$initial' as const] },
    { name: 'passkeys', test: isOneOf(passkeys) },
    { name: 'common', test: isOneOf(COMMON_MODULES), minShareCount: 2 },
    ...Object.entries(shared).map(([name, paths]) => {
      return { name, test: isOneOf(paths), minShareCount: 2 };
    }),
    ...SCREEN_CHUNKS.map((name) => ({ name, test: isOneOf(modulesOf(name)) })),
  ];
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }));
}

function modulesOf(chunk: string): string[] {
  const screens = SCREENS.filter((screen) => screen.chunk === chunk);
  const folders = screens.map(({ page }) => `pages/${dirname(page)}/`);
  return [...folders, ...(SCREEN_MODULES[chunk] ?? [])];
}

/** Returns a function that tests whether a module's path below `src/` begins with one of these patterns. */
function isOneOf(patterns: readonly string[]): (id: string) => boolean {
  const pattern = new RegExp(`^(?:${patterns.join('|')})`);
  return (id) => {
    const path = pathInSources(id);
    return path !== undefined && pattern.test(path);
  };
}
