import { expect, test } from 'vitest';
import { LINK_TOKENS, takeLinkTokens } from './link-tokens';

test.each(LINK_TOKENS)('the secret "%s" is moved from the address to the history state', (name) => {
  history.replaceState({ reloaded: true }, '', `/account/verify-email?lang=de&${name}=s%2B1#top`);
  expect(takeLinkTokens()).toBe(true);
  expect(location.href).toBe('http://localhost/account/verify-email?lang=de#top');
  expect(history.state).toEqual({ reloaded: true, link: { [name]: 's+1' } });
});

test('an address without a secret keeps the one of the history state', () => {
  history.replaceState({ link: { token: 'kept' } }, '', '/account/verify-email?lang=de');
  expect(takeLinkTokens()).toBe(false);
  expect(history.state).toEqual({ link: { token: 'kept' } });
  expect(location.search).toBe('?lang=de');
});
