import { fetchConfig } from '../api/config';
import { reload } from './load-page';

/**
 * Reloads the page after a release, because the files that the page refers to no longer exist. Reloads once per history
 * entry, whose state records the reload, and then never resolves. Resolves if a reload is useless: a reload was already
 * tried, the user has navigated away, or the server does not respond.
 */
export async function reloadForNewFiles(): Promise<void> {
  const { pathname } = location;
  const answers = await fetchConfig().then(
    () => true,
    // The error is ignored, because the caller shows that the server is unreachable.
    () => false,
  );
  if (!answers || location.pathname !== pathname || history.state?.reloaded) return;
  history.replaceState({ ...history.state, reloaded: true }, '');
  reload();
  await new Promise(() => undefined);
}

/** Called when a screen is mounted, so that a later release can reload the page again. */
export function forgetReload(): void {
  if (!history.state?.reloaded) return;
  const { reloaded: _done, ...state } = history.state;
  history.replaceState(state, '');
}
