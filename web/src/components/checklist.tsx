import { useTranslation } from '../i18n/use-translation';
import { checkConfirmation, passwordRules } from '../validation/password';
import styles from './checklist.module.css';
import { Icon } from './icon';
import { VisuallyHidden } from './visually-hidden';
import hiddenStyles from './visually-hidden.module.css';

interface ChecklistProps {
  /** The id of the checklist, for `aria-describedby` of the password field. */
  id: string;
  password: string;
  /** The text in the field that repeats the password, or undefined if the form has no such field. */
  confirmation?: string;
  /** The minimum length of the password in characters. */
  minLength: number;
  /** Whether the field has an error, or the password is easy to guess, so that no line says that it fits. */
  doubted: boolean;
  /** Whether the length is the only password rule, so that any kind of characters is accepted. */
  lengthOnly?: boolean | undefined;
}

/**
 * The list of password rules, which shows the rules that the typed text meets. If the text meets all rules, one line
 * replaces the list. The list blocks no submit; the form validates the password.
 */
export function Checklist(props: ChecklistProps) {
  const { id, password, confirmation, minLength, doubted, lengthOnly } = props;
  const { t } = useTranslation();
  const rules = [
    {
      text: t('common.rule_length', { minimum: minLength }),
      met: passwordRules.length(password, minLength),
    },
  ];
  if (!lengthOnly) {
    rules.push(
      { text: t('common.rule_uppercase'), met: passwordRules.uppercase(password) },
      { text: t('common.rule_lowercase'), met: passwordRules.lowercase(password) },
      { text: t('common.rule_digit'), met: passwordRules.digit(password) },
    );
  }
  if (confirmation !== undefined) {
    const met = password !== '' && checkConfirmation(password, confirmation) === null;
    rules.push({ text: t('common.rule_match'), met });
  }
  const met = rules.filter((rule) => rule.met).length;
  const fits = met === rules.length;

  return (
    <div>
      {fits && doubted ? null : (
        <p className={fits ? styles.fits : styles.title}>
          {fits ? <Icon shape="tick" /> : null}
          <span>{t(fits ? 'common.rules_fit' : 'common.rules_title')}</span>
        </p>
      )}
      <ul className={fits ? hiddenStyles.hidden : styles.list} id={id}>
        {rules.map((rule) => (
          <li className={rule.met ? `${styles.rule} ${styles.met}` : styles.rule} key={rule.text}>
            <span className={styles.dot}>{rule.met ? <Icon shape="tick" /> : null}</span>
            <span>{rule.text}</span>
            {rule.met ? <VisuallyHidden>{t('common.rule_done')}</VisuallyHidden> : null}
          </li>
        ))}
      </ul>
      <VisuallyHidden live>
        {password ? t('common.rules_met', { met, all: rules.length }) : ''}
      </VisuallyHidden>
    </div>
  );
}
