import { TextField, type TextFieldProps } from '../components/text-field';
import { useTranslation } from '../i18n/use-translation';

type FieldProps = Pick<TextFieldProps, 'name' | 'value' | 'onChange' | 'error' | 'describedBy'>;

/** The field for a code of the authenticator app. With `orRecovery`, phones show a keyboard with letters. */
export function CodeField({ orRecovery, ...field }: FieldProps & { orRecovery?: boolean }) {
  const { t } = useTranslation();
  return (
    <TextField
      {...field}
      autoCapitalize="none"
      autoComplete="one-time-code"
      inputMode={orRecovery ? 'text' : 'numeric'}
      label={t('second_factor.code')}
      spellCheck={false}
    />
  );
}

export function RecoveryCodeField(field: FieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      {...field}
      autoCapitalize="characters"
      autoComplete="off"
      label={t('second_factor.recovery_code')}
      spellCheck={false}
    />
  );
}
