import { useLoaded } from '../hooks/use-loaded';

/** Gives password managers the username of a form that shows no email address. */
export function HiddenUsername({ email }: { email: string }) {
  return email ? (
    <input autoComplete="username" hidden name="username" readOnly value={email} />
  ) : null;
}

/** Returns the email address of the account, or an empty string until it is loaded or if loading fails. */
export function useEmail(load: () => Promise<{ email: string }>): string {
  const { state } = useLoaded(load, { onFailure: () => true });
  return state.kind === 'loaded' ? state.data.email : '';
}
