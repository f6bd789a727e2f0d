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
  /** The text of the field for the password confirmation, or undefined if the form has no such field. */
  confirmation?: string;
  /** Minimum number of characters. */
  minLength: number;
  /** Whether only the length of the password is checked, not the kinds of characters. */
  lengthOnly?: boolean | undefined;
}

/**
 * The list of password rules, updated while typing. Once the password meets all rules, one line replaces the visible
 * list. The list is only informative, because the submit validates.
 */
export function Checklist(props: ChecklistProps) {
  const { id, password, confirmation, minLength, lengthOnly } = props;
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

  return (
    <div>
      <p className={met === rules.length ? styles.fits : styles.title}>
        {met === rules.length ? <Icon shape="tick" /> : null}
        {t(met === rules.length ? 'common.rules_fit' : 'common.rules_title')}
      </p>
      <ul className={met === rules.length ? hiddenStyles.hidden : styles.list} id={id}>
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
