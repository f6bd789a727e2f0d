import { useLoaded } from '../hooks/use-loaded';

/** Gives password managers the username of a form that shows no email address. */
export function HiddenUsername({ email }: { email: string }) {
  return email ? (
    <input autoComplete="username" hidden name="username" readOnly value={email} />
  ) : null;
}

/** The email address that a form does not show; empty until it is loaded, and if it cannot be had. */
export function useEmail(load: () => Promise<{ email: string }>): string {
  const { state } = useLoaded(load, { handled: () => true });
  return state.kind === 'loaded' ? state.data.email : '';
}
