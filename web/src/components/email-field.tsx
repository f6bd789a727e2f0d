import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { TextField, type TextFieldProps } from './text-field';

interface EmailFieldProps extends FieldProps, Pick<TextFieldProps, 'enterKeyHint'> {
  /** The autocomplete value. Default: the email address as the name of the account. */
  autoComplete?: string;
}

let knownEmail = '';

/** Fills in the email address in the next forms of this document. */
export function rememberEmail(email: string): void {
  knownEmail = email;
}

/** A field for an email address. By default the field shows the address that was typed on an earlier screen. */
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
        // The form of the settings passes a `defaultValue`, so the address that is typed in it is not remembered.
        if (!defaultValue) rememberEmail(event.currentTarget.value);
        onInput?.();
      }}
    />
  );
}
