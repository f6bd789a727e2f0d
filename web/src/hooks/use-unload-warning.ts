import { useEffect, useRef } from 'react';

/** Lets the browser ask before the page is left or reloaded, until the returned function is called. */
export function useUnloadWarning(): () => void {
  const isOver = useRef(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (!isOver.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  return () => {
    isOver.current = true;
  };
}
