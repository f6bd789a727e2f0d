import { OutOfDate, Unreachable } from '../api/client';
import { fetchConfig } from '../api/config';
import { interruptedSignIn } from '../browser/interrupted-sign-in';
import { t } from '../i18n/texts';
import { reload } from './load-page';

/**
 * Handles a script that could not be loaded. If the server responds, a new release has replaced the scripts, and the
 * page is reloaded. The history entry keeps the typed email address, and the releases from which it was reloaded: each
 * release is reloaded only once. Throws `OutOfDate` instead of a second reload, and `Unreachable` if the server does
 * not respond or the user has navigated away. The messages are translated, because the error screen shows them.
 */
export async function recoverFromMissingScript(cause: unknown): Promise<never> {
  const { pathname } = location;
  // The error is ignored, because the thrown error reports that the server is unreachable.
  const answer = await fetchConfig().catch(() => null);
  if (!answer || location.pathname !== pathname) {
    throw new Unreachable(t('common.unreachable'), { cause });
  }
  const release = document.querySelector<HTMLLinkElement>('#entry')?.href ?? '';
  const reloaded: readonly string[] = history.state?.reloaded ?? [];
  if (reloaded.includes(release)) throw new OutOfDate(t('shell.out_of_date'), { cause });
  const email = document.querySelector<HTMLInputElement>('[name="email"]')?.value;
  const state = email ? interruptedSignIn(email) : history.state;
  history.replaceState({ ...state, reloaded: [...reloaded, release] }, '');
  reload();
  return new Promise(() => undefined);
}
