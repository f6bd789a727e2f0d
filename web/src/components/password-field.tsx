import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '../i18n/use-translation';
import styles from './field.module.css';
import { Icon } from './icon';
import { TextField, type TextFieldProps } from './text-field';

interface PasswordFieldProps extends Omit<TextFieldProps, 'type' | 'extra' | 'autoComplete'> {
  /** Whether password managers fill in the current password or suggest a new password. */
  autoComplete: 'current-password' | 'new-password';
}

/**
 * A password field with a button that makes the password visible. Pasting is allowed. A submit hides the password, because
 * browsers save the texts of visible fields.
 */
export function PasswordField(props: PasswordFieldProps) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);

  // Password managers read the field at the event `submit`. The click on the submit button precedes it, also for Enter.
  useEffect(() => {
    if (!isShown) return;
    const hideAtSubmit = ({ target }: Event) => {
      if ((target as Element).closest('[type="submit"]')) flushSync(() => setIsShown(false));
    };
    document.addEventListener('click', hideAtSubmit, true);
    return () => document.removeEventListener('click', hideAtSubmit, true);
  }, [isShown]);

  return (
    <TextField
      {...props}
      autoCapitalize="none"
      extra={
        <button
          aria-label={t(isShown ? 'common.hide_password' : 'common.show_password', {
            field: props.label,
          })}
          className={styles.button}
          onClick={() => setIsShown(!isShown)}
          type="button"
        >
          <Icon shape={isShown ? 'hide' : 'show'} />
        </button>
      }
      type={isShown ? 'text' : 'password'}
    />
  );
}
