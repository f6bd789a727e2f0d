import { fetchConfig } from './api/config';
import { reload } from './load-page';

/**
 * After a release the files that this page names are gone, and a new page names the new ones. Reloads once for an
 * entry of the session history, which keeps the mark, and then does not return. Returns where a reload is of no
 * use: it was tried, the visitor has gone elsewhere, or the server does not answer.
 */
export async function reloadForNewFiles(): Promise<void> {
  const { pathname } = location;
  const answers = await fetchConfig().then(
    () => true,
    // The caller says that the server was not reached.
    () => false,
  );
  if (!answers || location.pathname !== pathname || history.state?.reloaded) return;
  history.replaceState({ ...history.state, reloaded: true }, '');
  reload();
  await new Promise(() => undefined);
}

/** The screen is there: after the next release it may be reloaded again. */
export function forgetReload(): void {
  if (!history.state?.reloaded) return;
  const { reloaded: _done, ...state } = history.state;
  history.replaceState(state, '');
}
