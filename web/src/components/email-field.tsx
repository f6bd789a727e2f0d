import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { TextField, type TextFieldProps } from './text-field';

interface EmailFieldProps extends FieldProps, Pick<TextFieldProps, 'enterKeyHint'> {
  /** The attribute `autocomplete`. Default: `username`, because people sign in with their email address. */
  autoComplete?: string;
  /** Whether the next forms of this document show the typed address. Default: true. */
  remembers?: boolean;
}

let knownEmail = '';

/** Stores an email address until the next page load. The email fields of later screens initially show this address. */
export function rememberEmail(email: string): void {
  knownEmail = email;
}

/** A field for an email address. By default the field shows the address that was typed on an earlier screen. */
export function EmailField({ defaultValue, onInput, remembers = true, ...props }: EmailFieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      autoCapitalize="none"
      autoComplete="username"
      inputMode="email"
      label={t('common.email')}
      type="email"
      {...props}
      defaultValue={defaultValue || knownEmail}
      onInput={(event) => {
        if (remembers) rememberEmail(event.currentTarget.value);
        onInput?.();
      }}
    />
  );
}
