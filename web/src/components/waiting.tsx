import { useTranslation } from '../i18n/use-translation';
import { Spinner } from './spinner';
import styles from './waiting.module.css';

/** A progress indicator: with children as part of a screen, without children while a screen loads. */
export function Waiting({ children }: { children?: string }) {
  const { t } = useTranslation();
  return (
    <div className={children ? styles.waiting : `${styles.waiting} ${styles.late}`}>
      <Spinner />
      <p aria-live="polite">{children ?? t('common.loading')}</p>
    </div>
  );
}
