import { BirthdayField } from '../../components/birthday-field';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import { CountryField } from '../../components/country-field';
import { HiddenUsername } from '../../components/hidden-username';
import { NewPassword } from '../../components/new-password';
import { TermsText } from '../../components/terms-text';
import { TextField } from '../../components/text-field';
import { useConfig } from '../../config';
import { useTypedText } from '../../forms/typed-text';
import { useTranslation } from '../../i18n/use-translation';
import { MIN_LENGTH, MIN_LENGTH_IN_MIGRATION } from '../../validation/password';
import { CompletionFailure } from './completion-failure';
import { isShort } from './completion-values';
import { type CompletionFormProps, useCompletion } from './use-completion';

/** The form for a new password and for the data that the legacy account lacks. */
export function CompletionForm(props: CompletionFormProps) {
  const { t } = useTranslation();
  const { form, countries, email } = useCompletion(props);
  const config = useConfig();
  const short = isShort(config);
  const firstName = useTypedText(form.ref, 'first_name');
  const lastName = useTypedText(form.ref, 'last_name');

  return (
    <form {...form.props}>
      <CompletionFailure form={form} />
      <HiddenUsername email={email} />
      {short ? null : (
        <>
          <TextField
            {...form.field('first_name')}
            autoComplete="given-name"
            label={t('completion.first_name')}
          />
          <TextField
            {...form.field('last_name')}
            autoComplete="family-name"
            label={t('completion.last_name')}
          />
        </>
      )}
      <CountryField {...form.field('country')} countries={countries} />
      <BirthdayField
        {...form.field('birthday')}
        hint={t('completion.age', { age: config.age.migration })}
        withDay={!short}
      />
      <TextField
        {...form.field('zipcode')}
        autoCapitalize="characters"
        autoComplete="postal-code"
        label={t('common.zipcode')}
      />
      <NewPassword
        confirmation={form.field('confirm_password')}
        labels={[t('common.password'), t('migration.confirm_password')]}
        password={form.field('password')}
        form={form.ref}
        personal={[firstName, lastName, email]}
        minLength={short ? MIN_LENGTH : MIN_LENGTH_IN_MIGRATION}
      />
      <Checkbox label={t('completion.newsletter')} name="marketing_consent" />
      <TermsText sentence="completion.terms" />
      <Button busy={form.busy && t('completion.busy')}>{t('completion.submit')}</Button>
    </form>
  );
}
