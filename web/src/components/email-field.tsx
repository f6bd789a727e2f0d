import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { TextField, type TextFieldProps } from './text-field';

interface EmailFieldProps extends FieldProps, Pick<TextFieldProps, 'enterKeyHint'> {
  /** The attribute `autocomplete`. Default: `username`, because people sign in with their email address. */
  autoComplete?: string;
}

let knownEmail = '';

/** Stores an email address until the next page load. The email fields of later screens initially show this address. */
export function rememberEmail(email: string): void {
  knownEmail = email;
}

/** An email field, whose default value is the email address that the user typed on an earlier screen. */
export function EmailField({ defaultValue, onInput, ...props }: EmailFieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      autoCapitalize="none"
      autoComplete="username"
      inputMode="email"
      label={t('common.email')}
      spellCheck={false}
      type="email"
      {...props}
      defaultValue={defaultValue || knownEmail}
      onInput={(event) => {
        // A field with a `defaultValue` is for the new email address of an account, which is not stored.
        if (!defaultValue) rememberEmail(event.currentTarget.value);
        onInput?.();
      }}
    />
  );
}
