import { onTestFinished, vi } from 'vitest';
import type { Passkey } from '../api/passkey-list';
import { ok } from './api';

/** The credential that the stubbed browser returns. */
const CREDENTIAL = { id: 'credential', type: 'public-key' };
export const OPTIONS = {
  state: 'ceremony',
  publicKey: { rpId: 'localhost', rp: { id: 'localhost' }, timeout: 300_000 },
};
/** The request body that a screen sends after a WebAuthn ceremony. */
export const ANSWER = { state: 'ceremony', credential: CREDENTIAL };

export const passkey: Passkey = {
  id: '1',
  name: 'iCloud Keychain',
  provider: 'iCloud Keychain',
  synced: true,
  created_at: '2026-04-01T12:00:00Z',
  last_used_at: null,
  this_site: true,
  site: 'localhost',
};

export const SIGNAL = {
  rpId: 'localhost',
  userId: 'user',
  allAcceptedCredentialIds: ['credential'],
  name: 'ada@example.com',
  displayName: 'ada1815',
};

export const listOf = (...passkeys: Passkey[]) => ok({ passkeys, signal: SIGNAL });

/**
 * Stubs WebAuthn, which jsdom lacks, until the end of the test. The stubbed authenticator consents. If `autofill` is
 * set, the browser also offers passkeys in the email field.
 */
export function stubPasskeys({ autofill = false } = {}) {
  class StubbedCredential {
    id = CREDENTIAL.id;
    static parseRequestOptionsFromJSON = (options: object) => options;
    static parseCreationOptionsFromJSON = (options: object) => options;
    static isConditionalMediationAvailable = async () => autofill;
    static signalAllAcceptedCredentials = vi.fn(async () => undefined);
    static signalCurrentUserDetails = vi.fn(async () => undefined);
    static signalUnknownCredential = vi.fn(async (_: object) => undefined);
    toJSON = () => CREDENTIAL;
  }
  const agree = async () => new StubbedCredential();
  const create = vi.fn<(options: object) => Promise<unknown>>(agree);
  const get = vi.fn<(options: CredentialRequestOptions) => Promise<unknown>>(agree);
  vi.stubGlobal('PublicKeyCredential', StubbedCredential);
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create, get } });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'credentials');
  });
  return { create, get, agree, signals: StubbedCredential };
}

/** The exceptions of a WebAuthn ceremony for which the screen shows an error, and the error messages. */
export const BROWSER_FAILURES = [
  ['InvalidStateError', 'This device already has a passkey for your account.'],
  ['NotSupportedError', 'This passkey didn’t work. Please try again.'],
  ['SecurityError', 'This passkey didn’t work. Please try again.'],
] as const;

/** The exceptions of a WebAuthn ceremony that the user has cancelled. */
export const BROWSER_CANCELLATIONS = ['NotAllowedError', 'AbortError'] as const;

export const rejectWith = (name: string) => async () => {
  throw new DOMException('refused', name);
};
