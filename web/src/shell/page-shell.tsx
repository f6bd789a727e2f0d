import { type ReactNode, useEffect } from 'react';
import { Announcer } from '../components/announcer';
import { replayEarlyActions } from '../forms/early';
import { useTranslation } from '../i18n/use-translation';
import { Fragment } from './fragment';
import { LanguageMenu } from './language-menu';
import styles from './page-shell.module.css';

/** The page layout: header, screen and footer. */
export function PageShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  useEffect(() => replayEarlyActions('shell'), []);
  return (
    <>
      <nav aria-label={t('shell.skip')}>
        <a className={styles.skip} href="#content">
          {t('shell.skip')}
        </a>
      </nav>
      <Fragment part="header" />
      <Announcer />
      <main className={styles.main}>
        <div className={styles.tools}>
          <LanguageMenu />
        </div>
        <div className={styles.content} id="content" tabIndex={-1}>
          {children}
        </div>
      </main>
      <Fragment part="footer" />
    </>
  );
}
