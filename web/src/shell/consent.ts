import type { Config } from '../api/config';
import { readChoice, saveChoice } from '../browser/saved-choice';
import { currentLanguage, onLanguageChange, type TextKey, t } from '../i18n/texts';
import { hasLinkTokens, LINK_TOKENS, onLinkTokensDropped } from '../url/link-tokens';
import styles from './consent.module.css';

type Region = Config['region'];
type Consent = NonNullable<Region['consent']>;
type Preference = 'granted' | 'denied';

/** The command queue of the consent manager (docs/operating/settings.md, "Consent"). */
type Command =
  | ['init', Readonly<Record<string, string | null | undefined>>]
  | ['preference', Preference]
  | ['show'];

declare global {
  interface Window {
    /** The manager processes the queued commands and replaces `push` with its own function. */
    consentQueue?: { push(command: Command): unknown };
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

const CONSENT_COOKIE = 'account_consent';

/**
 * Starts the region's consent manager: queues its commands, loads its scripts, and adds the link that opens its dialog.
 * If Global Privacy Control is set, consent is denied and nothing is loaded until the user opens the dialog. If a
 * mailed link has opened the page, nothing is loaded until the secret of the link is used up.
 */
export function startConsent(region: Region): void {
  const { consent } = region;
  if (!consent) return;
  window.consentQueue ??= [] satisfies Command[];
  const enqueue = (command: Command) => window.consentQueue?.push(command);
  enqueue(['init', initOptions(region, consent)]);
  const isDenied = isRefused();
  const preference = isDenied ? 'denied' : savedPreference();
  if (preference) enqueue(['preference', preference]);
  window.addEventListener('consentchange', savePreference);

  const load = scriptLoader(consent);
  const start = () => {
    if (!isDenied) load().catch(() => undefined); // The link below reports a failure.
  };
  let hasSecret = openedWithSecret();
  if (!hasSecret) start();
  onLinkTokensDropped(() => {
    hasSecret = false;
    start();
  });
  addLink(async () => {
    if (hasSecret) return 'shell.cookies_later';
    await load();
    enqueue(['show']);
    return null;
  });
}

/**
 * Returns whether this page was opened with the secret of a mailed link. No third-party script may run on such a page,
 * because scripts can read the secret from the navigation timing entry or from the history state.
 */
function openedWithSecret(): boolean {
  if (hasLinkTokens()) return true;
  const [navigation] = performance.getEntriesByType('navigation');
  if (!navigation) return false;
  const query = new URL(navigation.name, location.href).searchParams;
  return LINK_TOKENS.some((name) => query.has(name));
}

/**
 * Returns whether Global Privacy Control is set, according to the browser or to the header that the server received.
 */
function isRefused(): boolean {
  return navigator.globalPrivacyControl === true || nonceElement()?.dataset.gpc !== undefined;
}

function nonceElement(): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
}

function initOptions(region: Region, { id }: Consent) {
  const { analytics } = region;
  return {
    id,
    brand: analytics.brand ?? region.brand,
    region: analytics.region ?? region.id,
    language: analytics.language ?? currentLanguage(),
    country: region.country_code,
    client: region.auth_client_id,
    environment: region.environment,
  };
}

function savedPreference(): Preference | null {
  const choice = readChoice(CONSENT_COOKIE);
  return choice === 'granted' || choice === 'denied' ? choice : null;
}

function savePreference(event: Event): void {
  const choice: unknown = event instanceof CustomEvent ? event.detail?.preference : null;
  if (choice === 'granted' || choice === 'denied') saveChoice(CONSENT_COOKIE, choice);
}

/**
 * Returns a function that loads the queue script and then the boot script. Calls during an attempt share the attempt.
 * A call after a failure starts a new attempt, which loads only the scripts that are not loaded yet.
 */
function scriptLoader({ id, script_url, boot_url }: Consent): () => Promise<void> {
  const loadedScripts = new Set<string>();
  let loading: Promise<void> | undefined;
  const loadScripts = async () => {
    for (const address of [script_url, boot_url]) {
      if (loadedScripts.has(address)) continue;
      await loadScript(address, id);
      loadedScripts.add(address);
    }
  };
  return () => {
    loading ??= loadScripts().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Removes the element of a script that cannot be loaded. */
function loadScript(address: string, id: string): Promise<void> {
  const script = document.createElement('script');
  script.src = address;
  script.nonce = nonceElement()?.nonce ?? '';
  script.dataset.consentId = id;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  });
}

/**
 * Appends the link that opens the consent dialog. The link is the last element of the page, so that nothing moves.
 * `open` returns the key of a message, or null.
 */
function addLink(open: () => Promise<TextKey | null>): void {
  const section = document.createElement('section');
  const button = document.createElement('button');
  const status = document.createElement('p');
  section.className = styles.section ?? '';
  button.className = styles.link ?? '';
  button.type = 'button';
  status.setAttribute('role', 'status');
  let message: TextKey | null = null;
  const render = () => {
    button.textContent = t('shell.cookies');
    status.textContent = message ? t(message) : '';
    section.setAttribute('aria-label', t('shell.cookies'));
  };
  button.addEventListener('click', () => {
    // Screen readers announce the message of a repeated failure only if the previous message was removed.
    message = null;
    render();
    open()
      .catch(() => 'shell.cookies_failed' as const)
      .then((result) => {
        message = result;
        render();
      });
  });
  onLanguageChange(render);
  render();
  section.append(button, status);
  document.body.append(section);
}
