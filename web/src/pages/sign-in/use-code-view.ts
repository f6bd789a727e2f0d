import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { interruptedSignIn } from '../../browser/interrupted-sign-in';
import type { TextKey } from '../../i18n/texts';

/** A view of the second step: `code` is the form for the code; `no_code` lists the other ways to sign in. */
type CodeView = 'code' | 'no_code';

/**
 * Each view of the second step has a history entry, so that the Back button leads from the other ways to the code, and
 * from the code to the password. The history state contains the view. `email` is the typed email address.
 */
export function useCodeView(email: string, onLeave: (reason: TextKey | null) => void) {
  const [view, setView] = useState<CodeView>('code');
  const reason = useRef<TextKey | null>(null);
  const isPushed = useRef(false);
  const show = useEffectEvent(({ state }: PopStateEvent) => {
    if (state?.codeView) setView(state.codeView);
    else onLeave(reason.current);
  });

  useEffect(() => {
    if (!isPushed.current) {
      isPushed.current = true;
      // After a reload or a return, the history entry of the password form may still contain a view, which is removed.
      const { codeView: _, ...state } = history.state ?? {};
      history.replaceState(state, '');
      history.pushState({ ...interruptedSignIn(email), codeView: 'code' satisfies CodeView }, '');
    }
    addEventListener('popstate', show);
    return () => removeEventListener('popstate', show);
  }, [email]);

  return {
    view,
    showNoCode() {
      history.pushState({ ...history.state, codeView: 'no_code' satisfies CodeView }, '');
      setView('no_code');
    },
    showCode: () => history.back(),
    /** Returns to the password form, which shows the text `message` if it is not null. */
    leave(message: TextKey | null) {
      reason.current = message;
      history.go(view === 'code' ? -1 : -2);
    },
  };
}
