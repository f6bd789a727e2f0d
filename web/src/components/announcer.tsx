import { useEffect, useSyncExternalStore } from 'react';
import { VisuallyHidden } from './visually-hidden';

let current = { text: '' };
const listeners = new Set<() => void>();

function change(next: { text: string }): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * The ARIA live region for all messages that move no focus. The region is always in the page, because screen readers
 * may miss the text of a region that is inserted together with its text.
 */
export function Announcer() {
  const text = useSyncExternalStore(
    subscribe,
    () => current.text,
    () => '',
  );
  return <VisuallyHidden live>{text}</VisuallyHidden>;
}

/** Announces `text` politely in the live region. A later announcement of any component replaces the text. */
export function useAnnouncement(text: string | null): void {
  useEffect(() => {
    if (!text) return;
    const announcement = { text };
    change(announcement);
    return () => {
      if (current === announcement) change({ text: '' });
    };
  }, [text]);
}
