import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { useTranslation } from '../../i18n/use-translation';
import styles from './not-found.module.css';

export default function NotFound() {
  const { t } = useTranslation();
  return (
    <Card lead={t('shell.not_found_text')} title={t('shell.not_found_title')}>
      <BrokenFilmStrip />
      <ButtonLink variant="primary" to="/">
        {t('common.go_to_sign_in')}
      </ButtonLink>
    </Card>
  );
}

function BrokenFilmStrip() {
  const holes = 'M10 8h9v8h-9zM34 8h9v8h-9zM58 8h9v8h-9zM10 76h9v8h-9zM34 76h9v8h-9zM58 76h9v8h-9z';
  return (
    <svg aria-hidden="true" className={styles.film} viewBox="0 0 240 92">
      <g className={styles.left}>
        <path
          className={styles.strip}
          d="M0 0h96l-9 12 10 11-11 12 12 11-12 12 11 12-9 11 6 11H0z"
        />
        <path className={styles.picture} d="M10 24h68v44H10z" />
        <path className={styles.hole} d={holes} />
        <circle className={styles.moon} cx="44" cy="46" r="15" />
        <path className={styles.face} d="M39 42v3M49 42v3M38 53q6-5 12 0" />
      </g>
      <g className={styles.right}>
        <path
          className={styles.strip}
          d="M240 0h-90l9 12-10 11 11 12-12 11 12 12-11 12 9 11-6 11h88z"
        />
        <path className={styles.picture} d="M170 24h60v44h-60z" />
        <path className={styles.hole} d={holes} transform="translate(162)" />
      </g>
    </svg>
  );
}
