import { useEffect, useRef, useState } from 'react';
import { type FragmentName, fetchFragment } from '../api/fragment';
import { logFailure } from '../api/message';
import { useTranslation } from '../i18n/use-translation';
import styles from './fragment.module.css';

const ROLES = { header: 'banner', footer: 'contentinfo' } as const;

/** The third-party header or footer, in a shadow root that isolates its styles. Empty if it cannot be loaded. */
export function Fragment({ part }: { part: FragmentName }) {
  const host = useRef<HTMLDivElement>(null);
  const { language } = useTranslation();
  // The landmark role of the element. Undefined if the HTML contains its own landmark.
  const [role, setRole] = useState<string | undefined>();
  const shownLanguage = useRef<string | null>(null);

  useEffect(() => {
    const show = (root: ShadowRoot) => {
      shownLanguage.current = language;
      setRole(root.querySelector(`${part}, [role="${ROLES[part]}"]`) ? undefined : ROLES[part]);
    };
    const prerendered = host.current?.shadowRoot;
    // The server has already inlined the HTML in the language of the page (src/http/pages/page_fragments.rs).
    if (prerendered && (shownLanguage.current ?? language) === language) return show(prerendered);

    const abortController = new AbortController();
    // The script is loaded on demand, because the server inlines the HTML in most pages.
    Promise.all([fetchFragment(part, abortController.signal), import('./fill-shadow')])
      .then(([html, { fillShadow }]) => {
        if (host.current && !abortController.signal.aborted) show(fillShadow(host.current, html));
      })
      .catch((failure: unknown) => {
        if (!abortController.signal.aborted) logFailure(failure);
      });
    return () => abortController.abort();
  }, [part, language]);

  return <div className={styles[part]} data-part={part} ref={host} role={role} />;
}
