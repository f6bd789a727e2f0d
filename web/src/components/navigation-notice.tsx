import { useLayoutEffect, useState } from 'react';
import type { TextKey } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import { Status } from './notice';

/** A message that a screen passes to the next screen in the history state, as `{ notice: … }`. */
interface Notice {
  text: TextKey;
  values?: Readonly<Record<string, string>>;
  /** Whether the message reports no success. */
  neutral?: boolean;
}

/** The query parameter with which the server asks the screen for a notice after a sign-out. */
const SIGNED_OUT = 'signed_out';

/**
 * Shows the notice that the previous screen or the server has passed, else `initial`. The notice is removed from the
 * history state and the URL, so that it does not appear again after a reload or a return.
 */
export function NavigationNotice({ initial = null }: { initial?: Notice | null }) {
  const { t } = useTranslation();
  const [passed, setPassed] = useState<Notice | null>(null);
  const shown = passed ?? initial;
  useLayoutEffect(() => {
    const { notice, ...state } = history.state ?? {};
    const address = new URL(location.href);
    if (!notice && !address.searchParams.has(SIGNED_OUT)) return;
    setPassed(notice ?? { text: 'sign_in.signed_out' });
    address.searchParams.delete(SIGNED_OUT);
    history.replaceState(state, '', address);
  }, []);
  if (!shown) return null;
  return <Status neutral={shown.neutral}>{t(shown.text, shown.values)}</Status>;
}
