import { useConfig } from '../config';
import { useTranslation } from '../i18n/use-translation';
import { estimateStrength } from '../validation/password-strength';
import styles from './password-hint.module.css';

const STRENGTH_LABELS = {
  weak: 'password_strength.weak',
  fair: 'password_strength.fair',
  good: 'password_strength.good',
  strong: 'password_strength.strong',
} as const;
const ADVICE_TEXTS = {
  common: 'password_strength.common',
  personal: 'password_strength.personal',
  longer: 'password_strength.longer',
} as const;
const STRENGTH_LEVELS = ['weak', 'fair', 'good', 'strong'] as const;

/**
 * Returns the estimated strength of a typed password, or null without a password. `personal` are names and email
 * addresses that the password should not contain.
 */
export function useStrength(password: string, personal: readonly string[]) {
  const { region } = useConfig();
  return password === '' ? null : estimateStrength(password, [...personal, region.brand]);
}

interface PasswordHintProps {
  estimate: ReturnType<typeof useStrength>;
}

/** The estimated strength of a new password, as a bar of four steps and as text. It blocks no submit. */
export function PasswordHint({ estimate }: PasswordHintProps) {
  const { t } = useTranslation();
  const level = estimate ? STRENGTH_LEVELS.indexOf(estimate.strength) : -1;
  const { word = '' } = estimate ?? {};

  return (
    <div className={`${styles.hint} ${styles[estimate?.strength ?? 'idle']}`}>
      {estimate ? (
        <span aria-hidden="true" className={styles.steps}>
          {STRENGTH_LEVELS.map((step, index) => (
            <span
              className={index <= level ? `${styles.step} ${styles.reached}` : styles.step}
              key={step}
            />
          ))}
        </span>
      ) : null}
      <p aria-live="polite" className={styles.words}>
        {estimate ? <strong>{t(STRENGTH_LABELS[estimate.strength])}</strong> : null}
        {estimate?.advice ? <span>{`. ${t(ADVICE_TEXTS[estimate.advice], { word })}`}</span> : null}
      </p>
    </div>
  );
}
