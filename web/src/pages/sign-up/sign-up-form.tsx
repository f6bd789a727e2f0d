import { useId } from 'react';
import { BackLink } from '../../components/back-link';
import { BirthdayField } from '../../components/birthday-field';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import { Checklist } from '../../components/checklist';
import { CountryField } from '../../components/country-field';
import { EmailField } from '../../components/email-field';
import { PasswordField } from '../../components/password-field';
import { PasswordHint, useStrength } from '../../components/password-hint';
import { TermsText } from '../../components/terms-text';
import { TextField } from '../../components/text-field';
import { useConfig } from '../../config';
import { useTypedText } from '../../forms/typed-text';
import { useTranslation } from '../../i18n/use-translation';
import { MIN_LENGTH } from '../../validation/password';
import { SignUpFailure } from './sign-up-failure';
import type { SentRegistration } from './sign-up-values';
import { type OnRegistered, useSignUp } from './use-sign-up';

interface SignUpFormProps {
  /** An earlier registration whose email address the user corrects, or null. */
  sent: SentRegistration | null;
  onDone: OnRegistered;
}

export function SignUpForm({ sent, onDone }: SignUpFormProps) {
  const { t } = useTranslation();
  const { form, countries, legacyEmail, isTaken, isAgeRefused } = useSignUp(onDone, sent);
  const { age } = useConfig();
  const checklist = useId();
  const email = useTypedText(form.ref, 'email');
  const username = useTypedText(form.ref, 'username');
  const password = useTypedText(form.ref, 'password');
  const estimate = useStrength(password, [email, username]);

  return (
    <form {...form.props}>
      <SignUpFailure form={form} isTaken={isTaken} legacyEmail={legacyEmail} />
      <EmailField {...form.field('email')} />
      <TextField
        {...form.field('username')}
        autoCapitalize="none"
        autoComplete="nickname"
        label={t('common.username')}
      />
      <PasswordField
        {...form.field('password')}
        autoComplete="new-password"
        describedBy={checklist}
        label={t('common.password')}
      />
      <PasswordHint estimate={estimate} />
      <Checklist
        doubted={!!form.field('password').error || estimate?.strength === 'weak'}
        id={checklist}
        minLength={MIN_LENGTH}
        password={password}
      />
      <CountryField {...form.field('country')} countries={countries} />
      <TextField
        {...form.field('zipcode')}
        autoCapitalize="characters"
        autoComplete="postal-code"
        label={t('common.zipcode')}
      />
      <BirthdayField
        {...form.field('birthday')}
        first={sent?.values}
        hint={t('sign_up.age', { age: age.registration })}
        refusal={isAgeRefused ? t('sign_up.age_refused', { age: age.registration }) : null}
      />
      <Checkbox
        defaultChecked={sent?.consent ?? false}
        label={t('sign_up.marketing')}
        name="marketing_consent"
      />
      <TermsText sentence="sign_up.terms" />
      <Button busy={form.busy && t('sign_up.busy')}>{t('sign_up.submit')}</Button>
      <BackLink to="/">{t('common.back')}</BackLink>
    </form>
  );
}
