/** Every screen, with a path that shows it without a session and without a mailed link. */
export const PUBLIC_SCREENS = [
  { name: 'sign-in', path: '/account/' },
  { name: 'sign-up', path: '/account/signup' },
  { name: 'request-password', path: '/account/request-password' },
  { name: 'reset-password', path: '/account/reset-password?token=unknown' },
  { name: 'change-email', path: '/account/change-email' },
  { name: 'migration', path: '/account/migration' },
  { name: 'migration-confirm', path: '/account/migration?token=unknown' },
  { name: 'completion', path: '/account/migration-confirmation?migration_token=unknown' },
  { name: 'verify-email', path: '/account/verify-email' },
  { name: 'not-found', path: '/account/no-such-screen' },
] as const;

/** Every path with its own prerendered page: with and without the token of a mailed link. */
export const SCREEN_VARIANTS = [
  '/account/',
  '/account/signup',
  '/account/request-password',
  '/account/reset-password',
  '/account/reset-password?token=made-up',
  '/account/migration',
  '/account/migration?email=a%40example.com',
  '/account/migration?email=a%40example.com&token=made-up',
  '/account/migration-confirmation',
  '/account/migration-confirmation?migration_token=made-up',
  '/account/verify-email',
  '/account/verify-email?token=made-up',
  '/account/change-email',
  '/account/change-email?undo=made-up',
  '/account/change-email?verificationToken=made-up',
  '/account/unsubscribe',
  '/account/unsubscribe?token=made-up',
  '/account/no/such/screen',
] as const;

/** The same path with a language parameter. */
export function inLanguage(path: string, language: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
}
