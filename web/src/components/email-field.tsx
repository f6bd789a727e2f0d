import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { TextField } from './text-field';

interface EmailFieldProps extends FieldProps {
  /** The autocomplete value. Default: the email address as the name of the account. */
  autoComplete?: string;
}

let knownEmail = '';

/** Fills in the email address in the next forms of this document. */
export function rememberEmail(email: string): void {
  knownEmail = email;
}

/** A field for an email address. Without another text it has the address that was typed on an earlier screen. */
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
        // The form of the settings has a text of its own.
        if (!defaultValue) rememberEmail(event.currentTarget.value);
        onInput?.();
      }}
    />
  );
}
