import { useEffect, useRef } from 'react';

/**
 * Lets the browser ask before the page is left or reloaded, until the returned function is called. If there is a
 * `question`, the page itself asks it before a step back within the site, which unloads nothing. Await the returned
 * function before a navigation, because it first steps back.
 */
export function useUnloadWarning(question: string | null): () => Promise<void> {
  const isWarningOff = useRef(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (!isWarningOff.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  useEffect(() => {
    if (question === null) return;
    // An additional history entry for the same screen, so that the first step back stays on the screen.
    const addEntry = () => history.pushState(history.state, '');
    const ask = () => {
      if (isWarningOff.current) return;
      isWarningOff.current = confirm(question);
      if (isWarningOff.current) history.back();
      else addEntry();
    };
    addEntry();
    addEventListener('popstate', ask);
    return () => removeEventListener('popstate', ask);
  }, [question]);
  return async () => {
    if (isWarningOff.current) return;
    isWarningOff.current = true;
    if (question === null) return;
    // The additional entry is left, because the Back button of the next screen would otherwise lead to this screen.
    const left = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
    history.back();
    await left;
  };
}
