import { useTranslation } from '../i18n/use-translation';
import { useAnnouncement } from './announcer';
import styles from './loading-indicator.module.css';
import { Spinner } from './spinner';

/** A progress indicator, whose text is announced. Without children the indicator is that of a whole screen. */
export function LoadingIndicator({ children }: { children?: string | undefined }) {
  const { t } = useTranslation();
  const text = children ?? t('common.loading');
  useAnnouncement(text);
  return (
    <div className={children ? styles.loading : `${styles.loading} ${styles.late}`}>
      <Spinner />
      <p>{text}</p>
    </div>
  );
}
