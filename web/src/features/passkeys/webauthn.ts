import { ApiFailure, BrowserFailure, isRefusal } from '../../api/client';
import { logFailure } from '../../api/message';
import type { PasskeyResponse, PasskeySignal } from '../../api/passkeys';
import { hasPasskeys, PasskeyCancelled } from './browser';

/** Returns whether the browser can offer passkeys in the autofill of an input (conditional mediation). */
export async function hasPasskeyAutofill(): Promise<boolean> {
  const available = PublicKeyCredential.isConditionalMediationAvailable;
  return available ? available.call(PublicKeyCredential) : false;
}

/** A WebAuthn ceremony: the options for the browser, and a state that the response must return to the server. */
export interface Ceremony {
  state: string;
  publicKey: object;
}

/**
 * Asks the browser for an assertion by a passkey. If `mediation` is `'conditional'`, the promise stays pending until
 * the user selects a passkey in the autofill.
 */
export async function requestPasskey(
  { state, publicKey }: Ceremony,
  options: { mediation?: CredentialMediationRequirement; signal?: AbortSignal } = {},
): Promise<PasskeyResponse> {
  const json = publicKey as PublicKeyCredentialRequestOptionsJSON;
  const credential = await askBrowser(() => {
    const request = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    return navigator.credentials.get({ ...options, publicKey: request });
  });
  return { state, credential: jsonOf(credential) };
}

/** Creates a passkey and sends it to the server with `store`. If the server refuses, asks the provider to delete it. */
export async function createPasskey<Stored>(
  { state, publicKey }: Ceremony,
  store: (response: PasskeyResponse) => Promise<Stored>,
): Promise<Stored> {
  const json = publicKey as PublicKeyCredentialCreationOptionsJSON;
  const credential = await askBrowser(() => {
    const request = PublicKeyCredential.parseCreationOptionsFromJSON(json);
    return navigator.credentials.create({ publicKey: request });
  });
  try {
    return await store({ state, credential: jsonOf(credential) });
  } catch (reason) {
    const id = readMember(() => credential.id);
    // The provider keeps the passkey if there was no response, because the server may have stored the passkey, and if
    // the server answered `passkey_exists`, because the passkey then belongs to another account.
    const isStored = !(reason instanceof ApiFailure) || reason.status >= 500;
    if (id && json.rp.id && !isStored && !isRefusal(reason, 'passkey_exists')) {
      await signalUnknownPasskey(json.rp.id, id);
    }
    throw reason;
  }
}

async function askBrowser(request: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null;
  try {
    credential = await request();
  } catch (reason) {
    throw failureOf(reason instanceof Error ? reason.name : 'Error');
  }
  if (!credential) throw new PasskeyCancelled('no credential');
  // The type is not checked with `instanceof`, because browser extensions return plain objects.
  return credential as PublicKeyCredential;
}

/** Converts an exception of a ceremony (WebAuthn Level 3, sections 5.1.3 and 5.1.4) to an error, by its name. */
function failureOf(name: string): Error {
  switch (name) {
    case 'NotAllowedError':
    case 'AbortError':
      return new PasskeyCancelled(name);
    // `InvalidStateError` means that the authenticator already has one of the excluded passkeys.
    case 'InvalidStateError':
      return new BrowserFailure(name, 'security.passkey_here');
    default:
      return new BrowserFailure(name, 'error.passkey_rejected');
  }
}

/** Converts a credential to JSON. The `toJSON` of a browser extension's credential may be absent or may throw. */
function jsonOf(credential: PublicKeyCredential): PasskeyResponse['credential'] {
  const json = readMember(() => credential.toJSON()) ?? membersOf(credential);
  return json as unknown as PasskeyResponse['credential'];
}

function membersOf(credential: PublicKeyCredential): object {
  const rawId = bytesOf(() => credential.rawId);
  const response = readMember(() => credential.response) as AuthenticatorAttestationResponse &
    AuthenticatorAssertionResponse;
  const clientDataJSON = bytesOf(() => response.clientDataJSON);
  if (!rawId || !clientDataJSON) throw failureOf('TypeError');
  return {
    id: rawId,
    rawId,
    type: 'public-key',
    authenticatorAttachment: readMember(() => credential.authenticatorAttachment),
    clientExtensionResults: readMember(() => credential.getClientExtensionResults()) ?? {},
    response: {
      clientDataJSON,
      attestationObject: bytesOf(() => response.attestationObject),
      transports: readMember(() => response.getTransports()),
      authenticatorData: bytesOf(() => response.authenticatorData),
      signature: bytesOf(() => response.signature),
      userHandle: bytesOf(() => response.userHandle),
    },
  };
}

/** Reads a property of a WebAuthn credential. Returns undefined if the property is absent, or if its getter throws. */
function readMember<Value>(read: () => Value): Value | undefined {
  try {
    return read() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Encodes the bytes of a property as base64url without padding. Returns undefined if the property cannot be read. */
function bytesOf(read: () => BufferSource | null): string | undefined {
  return readMember(() => {
    const source = read();
    if (!source) return undefined;
    const bytes = ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  });
}

interface SignalMethods {
  signalAllAcceptedCredentials?: (of: object) => Promise<void>;
  signalCurrentUserDetails?: (of: object) => Promise<void>;
  signalUnknownCredential?: (of: object) => Promise<void>;
}

const methods = () => PublicKeyCredential as unknown as SignalMethods;

/** Tells the passkey provider the valid passkeys and the account's names. A failure is only logged. */
export async function signalPasskeys(signal: PasskeySignal): Promise<void> {
  if (!hasPasskeys()) return;
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signal;
  try {
    await methods().signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds });
    await methods().signalCurrentUserDetails?.({ rpId, userId, name, displayName });
  } catch (reason) {
    logFailure(reason);
  }
}

/** Tells the passkey provider that a passkey is not valid. A failure is only logged. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  try {
    await methods().signalUnknownCredential?.({ rpId, credentialId });
  } catch (reason) {
    logFailure(reason);
  }
}
