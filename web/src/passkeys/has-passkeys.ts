/** Whether the browser supports passkeys with the JSON forms of WebAuthn Level 3, which need no library. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}
