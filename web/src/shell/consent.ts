import type { Config } from '../api/config';
import { readChoice, saveChoice } from '../browser/saved-choice';
import { currentLanguage, onLanguageChange, type TextKey, t } from '../i18n/texts';
import { hasLinkTokens, LINK_TOKENS, onLinkTokensDropped } from '../url/link-tokens';
import styles from './consent.module.css';

type Region = Config['region'];
type Consent = NonNullable<Region['consent']>;
type Preference = 'granted' | 'denied';

/** A command for the consent manager, a third-party script (docs/operating/settings.md, "Consent"). */
type Command =
  | ['init', Readonly<Record<string, string | null | undefined>>]
  | ['preference', Preference]
  | ['show'];

declare global {
  interface Window {
    /** The queue of commands. The consent manager processes the queued commands and replaces `push`. */
    consentQueue?: { push(command: Command): unknown };
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

const CONSENT_COOKIE = 'account_consent';

/**
 * Starts the consent manager of the region: queues commands, loads its scripts, and adds the link to its dialog. With
 * Global Privacy Control, consent is denied and the scripts are loaded only when the user opens the dialog. On a page
 * with the secret of a mailed link, the scripts are loaded once the secret is redeemed.
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
    // A failure is ignored, because a click on the link below loads the scripts again and reports a failure.
    if (!isDenied) load().catch(() => undefined);
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
 * Returns whether the URL or the history state has contained the secret of a mailed link. Third-party scripts could
 * read the secret there or in the navigation timing entry.
 */
function openedWithSecret(): boolean {
  if (hasLinkTokens()) return true;
  const [navigation] = performance.getEntriesByType('navigation');
  if (!navigation) return false;
  const query = new URL(navigation.name, location.href).searchParams;
  return LINK_TOKENS.some((name) => query.has(name));
}

/** Returns whether Global Privacy Control is set in the browser or in the header that the server has received. */
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
 * Returns a function that loads the queue script and then the boot script. Simultaneous calls share one attempt. After
 * a failure, the next call loads only the scripts that are not loaded yet.
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

/** Loads a script. If the script cannot be loaded, rejects and removes the script element. */
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
 * Appends the link that opens the consent dialog at the end of the page, so that nothing moves. `open` returns the key
 * of a message, or null.
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
    // The message is removed first, because screen readers would not announce the same message again.
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
