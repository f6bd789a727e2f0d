import { StrictMode } from 'react';
import { prerender } from 'react-dom/static';
import words from '../../locales/en.json';
import type { Config } from './api/config';
import { setSessionPossible } from './browser/session-hint';
import { ConfigProvider } from './config';
import { addTexts, setLanguage } from './i18n/texts';
import { type Catalogue, LANGUAGES, type Language } from './languages';
import { App, BASE, loadFirstScreen } from './router';
import { SCREENS } from './screens';

// The delimiters of placeholders, which the server replaces (src/http/pages/screens.rs). Private use characters of
// Unicode do not occur in texts, and HTML does not escape them.
const PLACEHOLDER_START = '\ue000';
const PLACEHOLDER_SEPARATOR = '\ue001';
const PLACEHOLDER_END = '\ue002';

/** An initial state of a screen, for which the build prerenders a separate file. */
interface ScreenVariant {
  /** The name of the screen, followed by each state that is not the default, for example `sign_in.session`. */
  name: string;
  path: string;
  token?: string;
  session?: boolean;
  /** Whether the sign-in continues to an application. */
  continued?: boolean;
  /** Whether the sign-in continues to a page of this site. */
  ownPage?: boolean;
  /** The form variant that a region can choose for the completion screen. */
  form?: string;
  /** The file of the screen's component in `pages/`. */
  page: string;
}

const SCREEN_VARIANTS: readonly ScreenVariant[] = SCREENS.flatMap((screen) => {
  const { name, page, tokens = [], forms = [] } = screen;
  const plain = { name, page, path: screen.path ?? '/no/such/screen' };
  if (screen.session) {
    return [
      { ...plain, session: false },
      { ...plain, name: `${name}.continue`, session: false, continued: true },
      { ...plain, name: `${name}.own-page`, session: false, ownPage: true },
      { ...plain, name: `${name}.session`, session: true },
    ];
  }
  const linkScreens = tokens.flatMap((token) => [
    { ...plain, name: `${name}.${token}`, token },
    ...forms.map((form) => ({ ...plain, name: `${name}.${token}.${form}`, token, form })),
  ]);
  return [plain, ...linkScreens];
});

export interface PrerenderedScreen {
  /** The file name: the variant, the links that the region lacks, and the language, separated by dots. */
  name: string;
  page: string;
  html: string;
}

/** The links that the settings of a region may omit. Screens with these links are prerendered for each combination. */
const LINKS = ['terms', 'privacy'] as const;
type Link = (typeof LINKS)[number];

/** Renders all variants of all screens in all languages, with placeholders for texts and configuration. */
export async function renderAll(): Promise<PrerenderedScreen[]> {
  const placeholders = replaceTexts(words, '');
  for (const language of LANGUAGES) addTexts(language, placeholders as unknown as Catalogue);
  const screens: PrerenderedScreen[] = [];
  for (const language of LANGUAGES) {
    setLanguage(language);
    for (const variant of SCREEN_VARIANTS)
      screens.push(...(await renderEachLinkSet(variant, language)));
  }
  return screens;
}

async function renderEachLinkSet(
  variant: ScreenVariant,
  language: Language,
): Promise<PrerenderedScreen[]> {
  const render = async (without: readonly Link[]): Promise<PrerenderedScreen> => ({
    name: [variant.name, ...without.map((link) => `no-${link}`), language].join('.'),
    page: variant.page,
    html: await renderVariant(variant, without),
  });
  const wholePage = await render([]);
  const linked = LINKS.filter((link) =>
    wholePage.html.includes(placeholder(`=region.links.${link}`)),
  );
  if (linked.length === 0) return [wholePage];
  if (linked.length < LINKS.length) throw new Error(`${wholePage.name} has one link alone`);
  return [
    wholePage,
    await render(['terms']),
    await render(['privacy']),
    await render(['terms', 'privacy']),
  ];
}

async function renderVariant(variant: ScreenVariant, without: readonly Link[]): Promise<string> {
  const address = new URL(`http://localhost${BASE}${variant.path}`);
  const link = variant.token ? { [variant.token]: 'secret' } : {};
  Object.assign(globalThis, { location: address, history: { state: { link } } });
  setSessionPossible(variant.session ?? true);
  await loadFirstScreen(address.pathname);

  const failures: unknown[] = [];
  const { prelude } = await prerender(
    <StrictMode>
      <ConfigProvider value={configOf(variant, without)}>
        <App ssrPath={address.pathname} />
      </ConfigProvider>
    </StrictMode>,
    {
      onError: (failure) => void failures.push(failure),
      // All HTML is one chunk, because React would otherwise emit inline scripts that move later chunks into place.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
    },
  );
  const html = await new Response(prelude).text();
  if (failures.length > 0) throw failures[0];
  const leftover = ['<script', '<template', 'secret'].find((piece) => html.includes(piece));
  if (leftover) throw new Error(`the page of ${variant.name} holds "${leftover}"`);
  return withHeaderAndFooterPlaceholders(html);
}

/** Inserts placeholders into the elements of header and footer, which the server replaces by their HTML. */
function withHeaderAndFooterPlaceholders(html: string): string {
  const pieces = html.split(/(<div[^>]* data-part="(?:header|footer)"[^>]*>)(?=<\/div>)/);
  if (pieces.length !== 5)
    throw new Error('a prerendered page has one header and one footer, both empty');
  return pieces
    .map((piece) => {
      const part = piece.match(/^<div[^>]* data-part="(\w+)"[^>]*>$/)?.[1];
      return part ? `${piece}${PLACEHOLDER_START}#${part}${PLACEHOLDER_END}` : piece;
    })
    .join('');
}

type Tree = { [key: string]: string | Tree };

/** Replaces each text in the tree by its placeholder. */
function replaceTexts(tree: Tree, path: string): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) =>
      typeof value === 'string'
        ? [key, placeholder(path + key, placeholderNames(value))]
        : [key, replaceTexts(value, `${path}${key}.`)],
    ),
  );
}

/** Returns the placeholder of a text and its `{{name}}` parameters in a prerendered page. The server fills it in. */
function placeholder(key: string, parameters: readonly string[] = []): string {
  const values = parameters.map(
    (name) => `${PLACEHOLDER_SEPARATOR}${name}${PLACEHOLDER_SEPARATOR}{{${name}}}`,
  );
  return `${PLACEHOLDER_START}${key}${values.join('')}${PLACEHOLDER_END}`;
}

function placeholderNames(text: string): string[] {
  const names = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? '');
  return [...new Set(names)];
}

/** Returns a configuration whose values are placeholders. The optional links in `without` are absent. */
function configOf(
  { form = 'full', continued, ownPage }: ScreenVariant,
  without: readonly Link[],
): Config {
  const missing = Object.fromEntries(without.map((link) => [link, null]));
  const region = { links: missing, migration_form: form };
  const plain = continued ? {} : { signing_in_to: null };
  const signed_in_home = ownPage ? '/account/settings' : '/';
  const known = { languages: [...LANGUAGES], age: {}, security: {} };
  const knownValues = { ...known, region, signed_in_home, ...plain };
  return placeholderProxy('', knownValues) as Config;
}

/** Returns a proxy of the known values. Every other property is the placeholder of its path. */
function placeholderProxy(path: string, known: object): unknown {
  return new Proxy(known, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || value === null || Array.isArray(value)) return value;
      if (typeof value === 'object') return placeholderProxy(`${path}${name}.`, value);
      return value ?? placeholder(`=${path}${name}`);
    },
  });
}
