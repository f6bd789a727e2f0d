import { useEffect, useRef, useState } from 'react';
import type { TextKey } from '../../i18n/texts';

/** A view of the second step: `code` is the form for the code; `no_code` lists the other ways to sign in. */
type CodeView = 'code' | 'no_code';

/**
 * Each view of the second step has a history entry, so that the Back button leads from the other ways to the code, and
 * from the code to the password. The history state contains the view.
 */
export function useCodeView(onLeave: (reason: TextKey | null) => void) {
  const [view, setView] = useState<CodeView>('code');
  const reason = useRef<TextKey | null>(null);
  const isPushed = useRef(false);
  const latest = useRef(onLeave);
  useEffect(() => {
    latest.current = onLeave;
  });

  useEffect(() => {
    if (!isPushed.current) {
      isPushed.current = true;
      // After a reload or a return, the history entry of the password form may still contain a view, which is removed.
      const { codeView: _, ...state } = history.state ?? {};
      history.replaceState(state, '');
      push('code');
    }
    const show = ({ state }: PopStateEvent) => {
      if (state?.codeView) setView(state.codeView);
      else latest.current(reason.current);
    };
    addEventListener('popstate', show);
    return () => removeEventListener('popstate', show);
  }, []);

  return {
    view,
    showNoCode() {
      push('no_code');
      setView('no_code');
    },
    showCode: () => history.back(),
    /** Returns to the password form. `why` is the key of its message, or null. */
    leave(why: TextKey | null) {
      reason.current = why;
      history.go(view === 'code' ? -1 : -2);
    },
  };
}

const push = (codeView: CodeView) => history.pushState({ ...history.state, codeView }, '');
