/** Whether the browser supports passkeys with the JSON forms of WebAuthn Level 3, which need no library. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** The user has closed the dialog of the browser, or no passkey was found in time. */
export class PasskeyCancelled extends Error {}
