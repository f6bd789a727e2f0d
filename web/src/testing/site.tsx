import { act, render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { Config } from '../api/config';
import { setSessionPossible } from '../browser/session-hint';
import { ConfigProvider } from '../config';
import { App } from '../router';
import { takeLinkTokens } from '../url/link-tokens';
import { config } from './api';

/** Finds the live region of the page for messages that move no focus. */
export const announcer = () => document.querySelector('[aria-live]:not(main *)');

/** Renders the whole app at a path below /account with the given configuration. */
export async function openSite(
  address: string,
  host: Config = config,
  session = true,
): Promise<UserEvent> {
  setSessionPossible(session);
  history.replaceState(null, '', `/account${address}`);
  takeLinkTokens();
  // The render is awaited, because a screen suspends while its module loads.
  await act(async () => {
    render(
      <ConfigProvider value={host}>
        <App />
      </ConfigProvider>,
    );
  });
  return userEvent.setup();
}
