import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { Announcer } from '../components/announcer';
import { replayEarlyActions } from '../forms/early';
import { useTranslation } from '../i18n/use-translation';
import { Fragment } from './fragment';
import { LanguageMenu } from './language-menu';
import styles from './page-shell.module.css';

/** The page layout: header, screen and footer. */
export function PageShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => replayEarlyActions('shell'), []);

  /** Focuses the content without following the link, which would lose the mailed secret in the history state. */
  function skip(event: MouseEvent) {
    event.preventDefault();
    content.current?.focus();
  }

  return (
    <>
      <nav aria-label={t('shell.skip')}>
        {/* biome-ignore lint/a11y/useValidAnchor: it works as a link before hydration */}
        <a className={styles.skip} href="#content" onClick={skip}>
          {t('shell.skip')}
        </a>
      </nav>
      <Fragment part="header" />
      <Announcer />
      <main className={styles.main}>
        <div className={styles.tools}>
          <svg className="moon" viewBox="0 0 120 120" aria-hidden="true">
            <use href="#moon" />
          </svg>
          <LanguageMenu />
        </div>
        <div className={styles.content} id="content" ref={content} tabIndex={-1}>
          {children}
        </div>
        {/* The style sheet hides one of the two menus, so that the tab order equals the visible order. */}
        <div className={styles.phone}>
          <LanguageMenu />
        </div>
      </main>
      <Fragment part="footer" />
    </>
  );
}
