import i18next from 'i18next';
import { StrictMode } from 'react';
import { prerender } from 'react-dom/static';
import { initReactI18next } from 'react-i18next';
import words from '../../locales/en.json';
import type { Config } from './api/config';
import { ConfigProvider } from './config';
import { LANGUAGES, type Language } from './languages';
import { App, BASE } from './router';
import { setSessionPossible } from './session-hint';

// Marks for what only the server knows, who puts it in: src/pages/screens.rs reads them. Characters
// of Unicode's private use area, which no text of ours has and no escaping touches.
const OPEN = '\ue000';
const NEXT = '\ue001';
const CLOSE = '\ue002';

/** A state in which a screen can open. */
interface ScreenVariant {
  /** As the server calls it: the path, and the parameter of the address that carries a token. */
  name: string;
  path: string;
  token?: string;
  session?: boolean;
  /** The completion form of the region. */
  form?: 'short';
  /** The file of the screen in `pages/`, unless every page loads it anyway. */
  page?: string;
}

const SCREEN_VARIANTS: readonly ScreenVariant[] = [
  { name: 'sign-in', path: '/', session: false },
  { name: 'sign-in.session', path: '/', session: true },
  { name: 'signup', path: '/signup', page: 'sign-up' },
  { name: 'request-password', path: '/request-password', page: 'request-password' },
  ...withAndWithout('reset-password', 'reset-password', ['token']),
  ...withAndWithout('migration', 'migration', ['token']),
  ...withAndWithout('migration-confirmation', 'completion', ['migration_token']),
  {
    name: 'migration-confirmation.migration_token.short',
    path: '/migration-confirmation',
    page: 'completion',
    token: 'migration_token',
    form: 'short',
  },
  ...withAndWithout('verify-email', 'verify-email', ['token']),
  ...withAndWithout('change-email', 'change-email', ['undo', 'verificationToken']),
  ...withAndWithout('unsubscribe', 'unsubscribe', ['token']),
  { name: 'settings', path: '/settings', page: 'settings' },
  { name: 'not-found', path: '/no/such/screen', page: 'not-found' },
];

function withAndWithout(name: string, page: string, tokens: readonly string[]): ScreenVariant[] {
  const path = `/${name}`;
  return [
    { name, path, page },
    ...tokens.map((token) => ({ name: `${name}.${token}`, path, page, token })),
  ];
}

export interface PrerenderedScreen {
  /** `name` of the variant, what it is drawn without, and the language. */
  name: string;
  page: string | undefined;
  html: string;
}

/** Links that a region may not have; each changes how a screen is built. */
const LINKS = ['terms', 'privacy'] as const;
type Link = (typeof LINKS)[number];

/** Draws every opening in every language, with marks for words and configuration. */
export async function renderAll(): Promise<PrerenderedScreen[]> {
  const marks = markAll(words, '');
  await i18next.use(initReactI18next).init({
    resources: Object.fromEntries(LANGUAGES.map((code) => [code, { translation: marks }])),
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  const screens: PrerenderedScreen[] = [];
  for (const language of LANGUAGES) {
    await i18next.changeLanguage(language);
    for (const variant of SCREEN_VARIANTS)
      screens.push(...(await renderEachLinkSet(variant, language)));
  }
  return screens;
}

async function renderEachLinkSet(
  variant: ScreenVariant,
  language: Language,
): Promise<PrerenderedScreen[]> {
  const draw = async (without: readonly Link[]): Promise<PrerenderedScreen> => ({
    name: [variant.name, ...without.map((link) => `no-${link}`), language].join('.'),
    page: variant.page,
    html: await renderVariant(variant, without),
  });
  const whole = await draw([]);
  const linked = LINKS.filter((link) => whole.html.includes(mark(`=region.links.${link}`)));
  if (linked.length === 0) return [whole];
  if (linked.length < LINKS.length) throw new Error(`${whole.name} has one link alone`);
  return [whole, await draw(['terms']), await draw(['privacy']), await draw(['terms', 'privacy'])];
}

async function renderVariant(variant: ScreenVariant, without: readonly Link[]): Promise<string> {
  const address = new URL(`http://localhost${BASE}${variant.path}`);
  const link = variant.token ? { [variant.token]: 'secret' } : {};
  Object.assign(globalThis, { location: address, history: { state: { link } } });
  setSessionPossible(variant.session ?? true);

  const failures: unknown[] = [];
  const { prelude } = await prerender(
    <StrictMode>
      <ConfigProvider value={configWithout(without, variant.form)}>
        <App ssrPath={address.pathname} />
      </ConfigProvider>
    </StrictMode>,
    {
      onError: (failure) => void failures.push(failure),
      // All of it in its place: nothing that a script would have to move there.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
    },
  );
  const html = await new Response(prelude).text();
  if (failures.length > 0) throw failures[0];
  const fault = ['<script', '<template', 'secret'].find((piece) => html.includes(piece));
  if (fault) throw new Error(`the page of ${variant.name} holds "${fault}"`);
  return withFragmentMarks(html);
}

/** A mark inside the elements of header and footer, whose HTML the server puts there. */
function withFragmentMarks(html: string): string {
  const pieces = html.split(/(<div[^>]* data-part="(?:header|footer)"[^>]*>)(?=<\/div>)/);
  if (pieces.length !== 5) throw new Error('a drawing has one header and one footer, both empty');
  return pieces
    .map((piece) => {
      const part = piece.match(/^<div[^>]* data-part="(\w+)"[^>]*>$/)?.[1];
      return part ? `${piece}${OPEN}#${part}${CLOSE}` : piece;
    })
    .join('');
}

type Tree = { [key: string]: string | Tree };

/** The same tree with a mark for each text. */
function markAll(tree: Tree, path: string): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) =>
      typeof value === 'string'
        ? [key, mark(path + key, placeholdersOf(value))]
        : [key, markAll(value, `${path}${key}.`)],
    ),
  );
}

/** i18next fills the placeholders of a mark like those of a text: with the value, or its mark. */
function mark(key: string, placeholders: readonly string[] = []): string {
  const values = placeholders.map((name) => `${NEXT}${name}${NEXT}{{${name}}}`);
  return `${OPEN}${key}${values.join('')}${CLOSE}`;
}

function placeholdersOf(text: string): string[] {
  const names = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? '');
  return [...new Set(names)];
}

/** A configuration of marks. What a region may lack and a screen shows is listed in `LINKS`. */
function configWithout(without: readonly Link[], form: 'full' | 'short' = 'full'): Config {
  const missing = Object.fromEntries(without.map((link) => [link, null]));
  const region = { links: missing, migration_form: form };
  const known = { languages: [...LANGUAGES], age: {}, security: {}, region };
  return marked('', known) as Config;
}

/** Gives what is known, and for all else the mark of its path. */
function marked(path: string, known: object): unknown {
  return new Proxy(known, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || value === null || Array.isArray(value)) return value;
      if (typeof value === 'object') return marked(`${path}${name}.`, value);
      return mark(`=${path}${name}`);
    },
  });
}
