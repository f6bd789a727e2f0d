/** Returns whether the browser supports passkeys and the JSON methods of WebAuthn Level 3. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** The user has closed the WebAuthn dialog of the browser, or no passkey was found in time. */
export class PasskeyCancelled extends Error {}
