/** Returns whether the browser supports passkeys with the JSON format of WebAuthn Level 3, which needs no library. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** The error if the user has closed the dialog of the browser, or if no passkey was found in time. */
export class PasskeyCancelled extends Error {}
