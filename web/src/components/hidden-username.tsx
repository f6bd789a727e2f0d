import { useLoaded } from '../hooks/use-loaded';

/** A hidden field with the username, which password managers need in a form without an email field. */
export function HiddenUsername({ email }: { email: string }) {
  return email ? (
    <input autoComplete="username" hidden name="username" readOnly value={email} />
  ) : null;
}

/** Returns the email address of the account, or an empty string while it is loading and after a failure. */
export function useEmail(load: () => Promise<{ email: string }>): string {
  const { state } = useLoaded(load, { onFailure: () => true });
  return state.kind === 'loaded' ? state.data.email : '';
}
