import { useTranslation } from 'react-i18next';
import { Spinner } from './spinner';
import styles from './waiting.module.css';

/** Something is under way. With words it is part of a screen; without, a screen is on its way. */
export function Waiting({ children }: { children?: string }) {
  const { t } = useTranslation();
  return (
    <div className={children ? styles.waiting : `${styles.waiting} ${styles.late}`}>
      <Spinner />
      <p aria-live="polite">{children ?? t('common.loading')}</p>
    </div>
  );
}
