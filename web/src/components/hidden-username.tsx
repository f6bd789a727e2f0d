/** A hidden field with the username, which password managers need in a form without an email field. */
export function HiddenUsername({ email }: { email: string }) {
  return email ? (
    <input autoComplete="username" hidden name="username" readOnly value={email} />
  ) : null;
}
