import { useLoaded } from './use-loaded';

/** Returns the email address of the account, or an empty string until it is loaded or if loading fails. */
export function useEmail(load: () => Promise<{ email: string }>): string {
  const { state } = useLoaded(load, { onFailure: () => true });
  return state.kind === 'loaded' ? state.data.email : '';
}
