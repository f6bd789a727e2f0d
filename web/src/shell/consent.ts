import i18next from 'i18next';
import type { Config } from '../api/config';
import { readChoice, saveChoice } from '../saved-choice';
import { LINK_TOKENS } from '../use-link-token';
import styles from './consent.module.css';

type Region = Config['region'];
type Consent = NonNullable<Region['consent']>;
type Preference = 'granted' | 'denied';

/** What the consent manager is told, in the order in which it was said (docs/operating.md, "Consent"). */
type Command =
  | ['init', Readonly<Record<string, string | null | undefined>>]
  | ['preference', Preference]
  | ['show'];

declare global {
  interface Window {
    /** The manager works through what waits here, and puts its own `push` in place of the array's. */
    consentQueue?: { push(command: Command): unknown };
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

const COOKIE = 'account_consent';

/**
 * Brings the region's consent manager in: its commands, its scripts, and the link that opens its dialog.
 * With Global Privacy Control nothing is loaded until somebody opens the dialog, and no is the answer.
 */
export function startConsent(region: Region): void {
  const { consent } = region;
  if (!consent || knowsSecret()) return;
  window.consentQueue ??= [] satisfies Command[];
  const tell = (command: Command) => window.consentQueue?.push(command);
  tell(['init', introduction(region, consent)]);
  const refused = isRefused();
  const preference = refused ? 'denied' : kept();
  if (preference) tell(['preference', preference]);
  window.addEventListener('consentchange', keep);

  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= loadScripts(consent);
    return loading;
  };
  if (!refused) load().catch(() => undefined); // Whoever wants the dialog hears of it.
  addLink(async () => {
    await load();
    tell(['show']);
  });
}

/**
 * Whether the secret of a mailed link opened this page. It has left the address bar, but every script of
 * the page can still read it from the browser's timing entries, or from the state of the history entry, which
 * keeps it over a reload: only our own scripts may run here.
 */
function knowsSecret(): boolean {
  if (Object.keys(history.state?.link ?? {}).length > 0) return true;
  const [opened] = performance.getEntriesByType('navigation');
  if (!opened) return false;
  const query = new URL(opened.name, location.href).searchParams;
  return LINK_TOKENS.some((name) => query.has(name));
}

/** Global Privacy Control: as the browser says it, or as the server heard it. */
function isRefused(): boolean {
  return navigator.globalPrivacyControl === true || pageMark()?.dataset.gpc !== undefined;
}

function pageMark(): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
}

function introduction(region: Region, { id }: Consent) {
  const { analytics } = region;
  return {
    id,
    brand: analytics.brand ?? region.brand,
    region: analytics.region ?? region.id,
    language: analytics.language ?? i18next.language,
    country: region.country_code,
    client: region.auth_client_id,
    environment: region.environment,
  };
}

function kept(): Preference | null {
  const choice = readChoice(COOKIE);
  return choice === 'granted' || choice === 'denied' ? choice : null;
}

function keep(event: Event): void {
  const choice: unknown = event instanceof CustomEvent ? event.detail?.preference : null;
  if (choice === 'granted' || choice === 'denied') saveChoice(COOKIE, choice);
}

/** The queue's script before the one that boots it. */
async function loadScripts({ id, script_url, boot_url }: Consent): Promise<void> {
  await loadScript(script_url, id);
  await loadScript(boot_url, id);
}

function loadScript(address: string, id: string): Promise<void> {
  const script = document.createElement('script');
  script.src = address;
  script.nonce = pageMark()?.nonce ?? '';
  script.dataset.consentId = id;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${address} could not be loaded`));
    document.head.append(script);
  });
}

/** Below everything else, where it moves nothing. */
function addLink(open: () => Promise<void>): void {
  const place = document.createElement('section');
  const button = document.createElement('button');
  const note = document.createElement('p');
  place.className = styles.place ?? '';
  button.className = styles.link ?? '';
  button.type = 'button';
  note.setAttribute('role', 'status');
  let failed = false;
  const say = () => {
    button.textContent = i18next.t('shell.cookies');
    note.textContent = failed ? i18next.t('shell.cookies_failed') : '';
    place.setAttribute('aria-label', i18next.t('shell.cookies'));
  };
  button.addEventListener('click', () => {
    open().catch(() => {
      failed = true;
      say();
    });
  });
  i18next.on('languageChanged', say);
  say();
  place.append(button, note);
  document.body.append(place);
}
