import { logFailure } from '../../api/message';
import { fetchSecurity, type Security } from '../../api/security';
import type { Elements } from '../../components/elements';
import { loadScript } from '../../loading/lazy-page';

export interface SecuritySettings extends Security {
  /** The warning of a pending reset of the second factor, or null if no reset is pending. */
  banner: Elements;
}

/** Loads the security settings of the account, and the script of the banner if a reset is pending. */
export async function loadSecuritySettings(): Promise<SecuritySettings> {
  const security = await fetchSecurity();
  const { second_factor_reset_at: at, second_factor, passkeys } = security;
  if (!at) return { ...security, banner: null };
  const { ResetBanner } = await loadScript(() => import('./reset-banner'));
  return {
    ...security,
    banner: <ResetBanner app={second_factor} at={at} passkey={passkeys > 0} />,
  };
}

/** Loads only the banner. Resolves to null, without an error message, if the security settings cannot be loaded. */
export const loadBanner = (): Promise<Elements> =>
  loadSecuritySettings().then(({ banner }) => banner, logFailure);
