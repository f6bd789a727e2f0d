import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { TextField } from './text-field';

interface EmailFieldProps extends FieldProps {
  /** The autocomplete value. Default: the email address as the name of the account. */
  autoComplete?: string;
}

/** A field for an email address. */
export function EmailField(props: EmailFieldProps) {
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
    />
  );
}
