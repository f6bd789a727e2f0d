import { type ReactNode, useEffect, useState } from 'react';
import { useAnnouncement } from '../../components/announcer';

/** The time in milliseconds for which the button shows that its action has succeeded. */
const SHOWN_MS = 4_000;

/**
 * A label that replaces the label of a button for some seconds after its action has succeeded. The button reports the
 * success, because a message elsewhere may be out of view.
 */
export function useTemporaryLabel(text: string): { label: ReactNode; show: () => void } {
  const [isShown, setIsShown] = useState(false);
  useAnnouncement(isShown ? text : null);

  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => setIsShown(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isShown]);

  return {
    label: isShown ? (
      <>
        <span>{`${text} `}</span>
        <span aria-hidden="true">✓</span>
      </>
    ) : null,
    show: () => setIsShown(true),
  };
}
