import { useEffect, useRef } from 'react';

/**
 * Makes the browser ask before the user leaves or reloads the page. If `question` is not null, the page asks it before
 * a step back within the site, because that step unloads no document. The returned function turns both questions off.
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
    // An additional history entry for the same screen, so that the first step back stays on the screen.
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
