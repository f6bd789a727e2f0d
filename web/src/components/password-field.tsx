import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation';
import styles from './field.module.css';
import { Icon } from './icon';
import { TextField, type TextFieldProps } from './text-field';

interface PasswordFieldProps extends Omit<TextFieldProps, 'type' | 'extra' | 'autoComplete'> {
  /** Whether password managers fill in the current password or suggest a new password. */
  autoComplete: 'current-password' | 'new-password';
}

/** A password field with a button that makes the password visible. Pasting is allowed. */
export function PasswordField(props: PasswordFieldProps) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);

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
      spellCheck={false}
      type={isShown ? 'text' : 'password'}
    />
  );
}
