import type { ReactNode } from 'react';
import { fetchSecurity, type Security } from '../api/security';

export interface SecurityWithBanner extends Security {
  /** Warns of a pending reset of the second factor. Null: none is pending. */
  banner: ReactNode;
}

/** Loads the security of the account, and the script of the banner where a reset is pending. */
export async function loadSecurity(): Promise<SecurityWithBanner> {
  const security = await fetchSecurity();
  const { second_factor_reset_at: at, passkeys } = security;
  if (!at) return { ...security, banner: null };
  const { ResetBanner } = await import('./reset-banner');
  return { ...security, banner: <ResetBanner at={at} passkey={passkeys > 0} /> };
}

/** The banner for screens that need nothing else of the security, and go on without it if its request fails. */
export const loadBanner = (): Promise<ReactNode> =>
  loadSecurity().then(
    ({ banner }) => banner,
    () => null,
  );
