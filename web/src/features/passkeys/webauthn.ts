import { ApiFailure, BrowserFailure, isRefusal } from '../../api/client';
import { logFailure } from '../../api/message';
import type { PasskeySignal } from '../../api/passkeys';
import type { components } from '../../api/schema';
import { hasPasskeys, PasskeyCancelled } from './browser';

/** Returns whether the browser can offer passkeys in the autofill of a field. */
export async function hasPasskeyAutofill(): Promise<boolean> {
  const available = PublicKeyCredential.isConditionalMediationAvailable;
  return available ? available.call(PublicKeyCredential) : false;
}

/** The options and the state of a ceremony, as the server sends them. */
export interface Ceremony {
  state: string;
  publicKey: object;
}

/** The response of an authenticator in the format that the server accepts. */
export type PasskeyResponse = components['schemas']['PasskeyAnswer'];

/**
 * Requests an assertion. If `mediation` is `'conditional'`, the request stays pending in the autofill until the user
 * selects a passkey.
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

/** Creates a passkey and stores it with `store`. If the server refuses it, tells the passkey provider to forget it. */
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
    // Without a response the server may have stored the passkey. A passkey that the server refused as existing belongs
    // to another account. The provider keeps both.
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

/** Maps the name of the exception (WebAuthn Level 3 sections 5.1.3 and 5.1.4) to an error. */
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

/** Converts a credential to JSON. The `toJSON` of a credential of a browser extension may be absent or may throw. */
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

/** Reads a property with bytes and encodes the bytes as base64url without padding. */
function bytesOf(read: () => BufferSource | null): string | undefined {
  return readMember(() => {
    const buffer = read();
    if (!buffer) return undefined;
    const bytes = ArrayBuffer.isView(buffer)
      ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
      : new Uint8Array(buffer);
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

/** Reports the valid passkeys and the current names to the passkey provider, which may ignore them. */
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

/** Reports to the passkey provider that a passkey is not valid, and only logs a failure of this report. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  try {
    await methods().signalUnknownCredential?.({ rpId, credentialId });
  } catch (reason) {
    logFailure(reason);
  }
}
