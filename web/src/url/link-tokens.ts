import { readQuery } from './query';

/** The query parameters of mailed links whose value is a secret. */
export const LINK_TOKENS = ['token', 'migration_token', 'verificationToken', 'undo'] as const;

export type TokenName = (typeof LINK_TOKENS)[number];

/**
 * Moves the secrets of a mailed link from the URL to the history state, because they must not appear in screenshots,
 * referrers or the browser history (OWASP Forgot Password Cheat Sheet). The history state survives a reload. Returns
 * whether the URL contained a secret.
 */
export function takeLinkTokens(): boolean {
  const address = new URL(location.href);
  const query = readQuery(address.search);
  const givenTokens = LINK_TOKENS.filter((name) => query.has(name));
  if (givenTokens.length === 0) return false;
  const link = Object.fromEntries(givenTokens.map((name) => [name, query.get(name)]));
  for (const name of givenTokens) query.delete(name);
  address.search = query.toString();
  history.replaceState({ ...history.state, link }, '', address);
  return true;
}

/** Returns whether the history state contains a secret of a mailed link. */
export const hasLinkTokens = (): boolean => Object.keys(history.state?.link ?? {}).length > 0;

let onDropped: () => void = () => undefined;
let areTokensDropped = false;

/**
 * Calls `listener` when the page has no secret left, because each secret was redeemed or is invalid. This may have
 * happened before the call, because a secret may be redeemed before the script of the listener is loaded.
 */
export function onLinkTokensDropped(listener: () => void): void {
  onDropped = listener;
  if (areTokensDropped) listener();
}

/** Removes a redeemed or invalid secret from the history state, so that a reload or return does not send it again. */
export function dropLinkToken(name: TokenName): void {
  const { [name]: _redeemed, ...link } = history.state?.link ?? {};
  history.replaceState({ ...history.state, link }, '');
  if (hasLinkTokens()) return;
  areTokensDropped = true;
  onDropped();
}
