import { useTranslation } from '../i18n/use-translation';
import { useAnnouncement } from './announcer';
import { Spinner } from './spinner';
import styles from './waiting.module.css';

/** A progress indicator: with children as part of a screen, without children while a screen loads. */
export function Waiting({ children }: { children?: string }) {
  const { t } = useTranslation();
  const text = children ?? t('common.loading');
  useAnnouncement(text);
  return (
    <div className={children ? styles.waiting : `${styles.waiting} ${styles.late}`}>
      <Spinner />
      <p>{text}</p>
    </div>
  );
}
