import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchFragment, type Part } from '../api/fragment';
import { report } from '../api/message';
import { fillShadow } from './fill-shadow';
import styles from './fragment.module.css';

const ROLES = { header: 'banner', footer: 'contentinfo' } as const;

/**
 * The header or the footer as it comes from its provider, in a shadow root, so that its styles and
 * ours cannot reach each other. When it cannot be had, its place stays empty.
 */
export function Fragment({ part }: { part: Part }) {
  const host = useRef<HTMLDivElement>(null);
  const { i18n } = useTranslation();
  const language = i18n.language;
  // A provider that marks its part as a landmark must not get a second one around it.
  const [role, setRole] = useState<string | undefined>();
  const shownIn = useRef<string | null>(null);

  useEffect(() => {
    const show = (root: ShadowRoot) => {
      shownIn.current = language;
      setRole(root.querySelector(`${part}, [role="${ROLES[part]}"]`) ? undefined : ROLES[part]);
    };
    const drawn = host.current?.shadowRoot;
    // Its first language is the page's: the server has put it there (src/pages/page_fragments.rs).
    if (drawn && (shownIn.current ?? language) === language) return show(drawn);

    const leaving = new AbortController();
    fetchFragment(part, leaving.signal)
      .then((html) => {
        if (host.current && !leaving.signal.aborted) show(fillShadow(host.current, html));
      })
      .catch((failure: unknown) => {
        if (!leaving.signal.aborted) report(failure);
      });
    return () => leaving.abort();
  }, [part, language]);

  return <div className={styles[part]} data-part={part} ref={host} role={role} />;
}
