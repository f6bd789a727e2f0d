import { useEffect, useRef } from 'react';

/**
 * Lets the browser ask before the page is left or reloaded, until the returned function is called. If there is a
 * `question`, the page itself asks it before a step back within the site, which unloads nothing.
 */
export function useUnloadWarning(question: string | null): () => void {
  const isOver = useRef(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (!isOver.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  useEffect(() => {
    if (question === null) return;
    // The first step back leads from this entry of the history to the entry below it, which shows the same screen.
    const addEntry = () => history.pushState(history.state, '');
    const ask = () => {
      if (isOver.current) return;
      isOver.current = confirm(question);
      if (isOver.current) history.back();
      else addEntry();
    };
    addEntry();
    addEventListener('popstate', ask);
    return () => removeEventListener('popstate', ask);
  }, [question]);
  return () => {
    isOver.current = true;
  };
}
