import { BrowserFailure } from '../api/client';
import type { PasskeySignal } from '../api/passkeys';
import { hasPasskeys } from './has-passkeys';

/** Whether the browser can offer passkeys in the autofill of a field. */
export async function hasPasskeyAutofill(): Promise<boolean> {
  const available = PublicKeyCredential.isConditionalMediationAvailable;
  return available ? available.call(PublicKeyCredential) : false;
}

/** The options and the state of a ceremony, as the server sends them. */
export interface Ceremony {
  state: string;
  publicKey: object;
}

/** The response of an authenticator in the form that the server accepts. */
export interface PasskeyResponse {
  state: string;
  /** The JSON form of `PublicKeyCredential`, whose members the OpenAPI document leaves open. */
  credential: Record<string, never>;
}

/** The user has closed the dialog of the browser, or no passkey was found in time. */
export class PasskeyCancelled extends Error {}

/**
 * Requests an assertion. With `mediation: 'conditional'` it stays pending in the autofill until the user selects a
 * passkey.
 */
export async function requestPasskey(
  { state, publicKey }: Ceremony,
  options: { mediation?: CredentialMediationRequirement; signal?: AbortSignal } = {},
): Promise<PasskeyResponse> {
  const json = publicKey as PublicKeyCredentialRequestOptionsJSON;
  const credential = await ceremony(() => {
    const request = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    return navigator.credentials.get({ ...options, publicKey: request });
  });
  return { state, credential };
}

/** Creates a passkey. */
export async function createPasskey({ state, publicKey }: Ceremony): Promise<PasskeyResponse> {
  const json = publicKey as PublicKeyCredentialCreationOptionsJSON;
  const credential = await ceremony(() => {
    const request = PublicKeyCredential.parseCreationOptionsFromJSON(json);
    return navigator.credentials.create({ publicKey: request });
  });
  return { state, credential };
}

async function ceremony(
  request: () => Promise<Credential | null>,
): Promise<PasskeyResponse['credential']> {
  let credential: Credential | null;
  try {
    credential = await request();
  } catch (reason) {
    throw failureOf(reason instanceof DOMException ? reason.name : 'Error');
  }
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyCancelled('no credential');
  return credential.toJSON() as unknown as PasskeyResponse['credential'];
}

/** Maps the name of the exception (WebAuthn Level 3 sections 5.1.3 and 5.1.4) to an error. */
function failureOf(name: string): Error {
  switch (name) {
    case 'NotAllowedError':
    case 'AbortError':
      return new PasskeyCancelled(name);
    // The authenticator already has one of the excluded passkeys.
    case 'InvalidStateError':
      return new BrowserFailure(name, 'security.passkey_here');
    default:
      return new BrowserFailure(name, 'error.passkey_rejected');
  }
}

interface SignalMethods {
  signalAllAcceptedCredentials?: (of: object) => Promise<void>;
  signalCurrentUserDetails?: (of: object) => Promise<void>;
  signalUnknownCredential?: (of: object) => Promise<void>;
}

const methods = () => PublicKeyCredential as unknown as SignalMethods;

/** Reports the valid passkeys and the current names to the passkey provider, which may ignore them. */
export async function signalPasskeys(signal: PasskeySignal): Promise<void> {
  if (!hasPasskeys()) return;
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signal;
  await methods().signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds });
  await methods().signalCurrentUserDetails?.({ rpId, userId, name, displayName });
}

/** Reports to the passkey provider that a passkey is no longer valid. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await methods().signalUnknownCredential?.({ rpId, credentialId });
}
