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
  let unused: readonly string[] = [];
  return {
    name: 'account:screens',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? routesModule() : undefined),
    /** A pattern without a module belongs to a file that was renamed or removed. */
    generateBundle() {
      if (this.environment.name !== 'client') return;
      const modules = [...this.getModuleIds()];
      unused = GROUPED_MODULES.filter((path) => {
        const pattern = inSources([path]);
        return !modules.some((id) => pattern.test(id));
      });
    },
    closeBundle: {
      // Before `prerender`, whose error would hide this one.
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
  const routes = SCREENS.map(({ path, page, chunk, signedIn = false }, index) => {
    const file = JSON.stringify(`/src/pages/${page}.tsx`);
    const common = `path: ${JSON.stringify(path)}, signedIn: ${signedIn}`;
    if (chunk !== ENTRY) return `{ ${common}, load: () => import(${file}) }`;
    imports.push(`import Screen${index} from ${file};`);
    return `{ ${common}, Component: Screen${index} }`;
  });
  return `${imports.join('\n')}\nexport const ROUTES = [${routes.join(',\n')}];\n`;
}

/** Modules that several screens share, by their chunk. All others outside of `pages/` are in the chunk `common`. */
const SHARED_MODULES = {
  // Loaded by the sign-in after its form is interactive.
  passkeys: ['api/passkey-sign-in', 'features/passkeys/webauthn', 'pages/sign-in/passkey-sign-in'],
  // Only the screens of signed-in users share these.
  'signed-in': [
    'api/(?:passkey-list|second-factor|security)\\.',
    'components/(?:confirmation|section|settings-nav)',
    'forms/use-inline-focus',
    'features/passkeys/postponed-offer',
    'features/reauthentication/use-',
    'browser/save-file',
    'features/second-factor/load-security',
    'hooks/use-session-end',
  ],
  // The forms for a new password and the strength estimate.
  'new-password': ['components/(?:checklist|new-password|password-hint)', 'validation/password'],
  // The form that sends the verification link again, after a registration and on a mailed link.
  resend: ['api/registration', 'components/resend-verification'],
  // Codes of an authenticator app and recovery codes. The sign-in also loads them, after the password was sent.
  codes: ['features/second-factor/', 'validation/code'],
};

/** The fields and rules of the long forms, which are in the chunks of their screens. */
const LONG_FORM_MODULES = [
  'api/age-refusals',
  'components/(?:(?:country|birthday|select)-field|terms-text)',
  'countries/',
  'forms/use-age-gate',
  'validation/(?:birthday|username|zipcode)',
];

/** All modules above, which are not in the chunk `common`. */
const GROUPED_MODULES = [...Object.values(SHARED_MODULES).flat(), ...LONG_FORM_MODULES];

/** The other modules outside of `pages/`, and the style sheets that several pages share. */
const COMMON_MODULES = new RegExp(
  `/src/(?!${['pages/', ...GROUPED_MODULES].join('|')})|/src/pages/.*\\.css$`,
);

/** The chunks of screens. A module that several of them use is in the chunk `common`. */
const SCREEN_CHUNKS = [...new Set(SCREENS.map(({ chunk }) => chunk))].filter(
  (chunk) => chunk !== ENTRY,
);

/**
 * The groups of modules for the bundler: few chunks, grouped by the screens that use them. A group includes the imports
 * of its modules, except modules of an earlier group.
 */
export function chunkGroups() {
  for (const { name, page } of SCREENS) {
    if (!page.includes('/')) {
      throw new Error(`screens.json: ${name}: the page is not in a folder of its own`);
    }
  }
  // The router uses the first match.
  if (SCREENS.findIndex(({ path }) => path === null) !== SCREENS.length - 1) {
    throw new Error('screens.json: the screen of all other addresses must be the last one');
  }
  const { passkeys, ...shared } = SHARED_MODULES;
  const groups = [
    { name: 'first', tags: ['$initial' as const] },
    { name: 'passkeys', test: inSources(passkeys) },
    { name: 'common', test: COMMON_MODULES, minShareCount: 2 },
    ...Object.entries(shared).map(([name, paths]) => {
      return { name, test: inSources(paths), minShareCount: 2 };
    }),
    ...SCREEN_CHUNKS.map((name) => ({ name, test: inSources(foldersOf(name)) })),
  ];
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }));
}

function foldersOf(chunk: string): string[] {
  const screens = SCREENS.filter((screen) => screen.chunk === chunk);
  return screens.map(({ page }) => `pages/${dirname(page)}/`);
}

function inSources(paths: readonly string[]): RegExp {
  return new RegExp(`/src/(?:${paths.join('|')})`);
}
