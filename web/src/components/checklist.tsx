import { useTranslation } from 'react-i18next';
import { checkConfirmation, wishes } from '../validation/password';
import styles from './checklist.module.css';
import { Icon } from './icon';
import { Unseen } from './unseen';

interface ChecklistProps {
  /** So that the password field can name it as its description. */
  id: string;
  password: string;
  /** Given where the password is typed twice. */
  confirmation?: string;
  /** Fewest characters. */
  shortest: number;
  /** Where kinds of characters do not matter. */
  lengthOnly?: boolean | undefined;
}

/** What a password needs, ticked off while it is typed. It never blocks; the submit does. */
export function Checklist(props: ChecklistProps) {
  const { id, password, confirmation, shortest, lengthOnly } = props;
  const { t } = useTranslation();
  const rules = [
    {
      text: t('common.rule_length', { minimum: shortest }),
      met: wishes.length(password, shortest),
    },
  ];
  if (!lengthOnly) {
    rules.push(
      { text: t('common.rule_uppercase'), met: wishes.uppercase(password) },
      { text: t('common.rule_lowercase'), met: wishes.lowercase(password) },
      { text: t('common.rule_digit'), met: wishes.digit(password) },
    );
  }
  if (confirmation !== undefined) {
    const met = password !== '' && checkConfirmation(password, confirmation) === null;
    rules.push({ text: t('common.rule_match'), met });
  }
  const met = rules.filter((rule) => rule.met).length;

  return (
    <div>
      <p className={styles.title}>{t('common.rules_title')}</p>
      <ul className={styles.list} id={id}>
        {rules.map((rule) => (
          <li className={rule.met ? `${styles.rule} ${styles.met}` : styles.rule} key={rule.text}>
            <span className={styles.dot}>{rule.met ? <Icon shape="tick" /> : null}</span>
            <span>{rule.text}</span>
            {rule.met ? <Unseen>{t('common.rule_done')}</Unseen> : null}
          </li>
        ))}
      </ul>
      <Unseen live>{password ? t('common.rules_met', { met, all: rules.length }) : ''}</Unseen>
    </div>
  );
}
