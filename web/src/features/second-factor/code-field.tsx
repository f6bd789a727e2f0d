import { TextField, type TextFieldProps } from '../../components/text-field';
import type { FieldProps } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';

type CodeFieldProps = FieldProps & Pick<TextFieldProps, 'describedBy'>;

/** The field for a second-factor code. `orRecovery` selects a phone keyboard with letters, for recovery codes. */
export function CodeField({ orRecovery, ...field }: CodeFieldProps & { orRecovery?: boolean }) {
  const { t } = useTranslation();
  return (
    <TextField
      {...field}
      autoCapitalize="none"
      autoComplete="one-time-code"
      enterKeyHint="go"
      inputMode={orRecovery ? 'text' : 'numeric'}
      label={t('second_factor.code')}
    />
  );
}

export function RecoveryCodeField(field: CodeFieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      {...field}
      autoCapitalize="characters"
      autoComplete="off"
      enterKeyHint="go"
      label={t('second_factor.recovery_code')}
    />
  );
}
