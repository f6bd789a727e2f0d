import { useId } from 'react';
import { ButtonLink } from '../../components/button';
import { useTranslation } from '../../i18n/use-translation';
import styles from '../security/security.module.css';

/** The way to the deletion of the account. */
export function DeleteSection() {
  const { t } = useTranslation();
  const title = useId();
  return (
    <section aria-labelledby={title} className={styles.section}>
      <div>
        <h2 id={title}>{t('data.delete')}</h2>
        <p className={styles.lead}>{t('data.delete_lead')}</p>
      </div>
      <ButtonLink to="/delete">{t('data.delete_link')}</ButtonLink>
    </section>
  );
}
