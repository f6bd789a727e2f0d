import { fetchConfig } from '../api/config';
import { reload } from './load-page';

/**
 * Reloads the page if a new release has replaced the scripts that the page refers to. Each history entry records its
 * reload in its state and is reloaded only once. The promise resolves only if there is no reload: the page was already
 * reloaded, the user has navigated away, or the server does not respond.
 */
export async function reloadForNewFiles(): Promise<void> {
  const { pathname } = location;
  const answers = await fetchConfig().then(
    () => true,
    // The error is ignored, because the caller reports that the server is unreachable.
    () => false,
  );
  if (!answers || location.pathname !== pathname || history.state?.reloaded) return;
  history.replaceState({ ...history.state, reloaded: true }, '');
  reload();
  await new Promise(() => undefined);
}

/** Called when a screen is mounted. Removes the record of a reload, so that a later release can cause another. */
export function forgetReload(): void {
  if (!history.state?.reloaded) return;
  const { reloaded: _done, ...state } = history.state;
  history.replaceState(state, '');
}
