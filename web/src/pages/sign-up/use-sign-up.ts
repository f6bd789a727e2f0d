import { useState } from 'react';
import { ApiFailure } from '../../api/client';
import { fieldMessages, logFailure } from '../../api/message';
import { register } from '../../api/registration';
import type { User } from '../../api/session';
import { useConfig } from '../../config';
import { useCountries } from '../../countries/use-countries';
import { serverErrors } from '../../forms/field-errors';
import { useAgeGate } from '../../forms/use-age-gate';
import { useForm } from '../../forms/use-form';
import { checkRegistration, EMPTY, registrationOf, type SentRegistration } from './sign-up-values';

/** The error codes of the last request by field name, and the email address of that request. */
interface Refused {
  rules: Readonly<Record<string, string>>;
  email: string;
}

const NOTHING: Refused = { rules: {}, email: '' };

/** Called with the new account and with the values that the form has sent. */
export type OnRegistered = (user: User, sent: SentRegistration) => void;

/** The state of the registration form. `sent` is a registration whose email address the user corrects, or null. */
export function useSignUp(onDone: OnRegistered, sent: SentRegistration | null) {
  const { age } = useConfig();
  const loaded = useCountries();
  const countries = sent ? { ...loaded, preselected: sent.values.country } : loaded;
  const gate = useAgeGate('registration');
  const [refusedRequest, setRefusedRequest] = useState(NOTHING);
  const form = useForm({
    fields: sent?.values ?? EMPTY,
    summary: true,
    onSubmit: () => setRefusedRequest(NOTHING),
    check: (values) => gate.applyAgeLimit(checkRegistration(values, age.registration, new Date())),
    async send(values, page) {
      const consent = page.has('marketing_consent');
      const correction = sent && { corrected_email: sent.values.email };
      const user = await register({ ...registrationOf(values, consent), ...correction });
      return { user, consent };
    },
    onDone: ({ user, consent }, values) =>
      onDone(user, { values: { ...values, email: user.email, password: '' }, consent }),
    onFailure,
  });

  /** Shows the errors of single fields at their fields. The form shows every other error above the fields. */
  function onFailure(reason: unknown): boolean {
    gate.countRefusal(reason);
    const fields = fieldMessages(reason);
    form.showErrors(fields ? serverErrors(fields) : {});
    const rules = reason instanceof ApiFailure ? reason.refusal?.fields : undefined;
    setRefusedRequest({ rules: rules ?? {}, email: form.read().email.trim() });
    if (fields) logFailure(reason);
    return fields !== null;
  }

  const { rules, email } = refusedRequest;
  const { birthday } = form.errors;
  return {
    form,
    countries,
    /** The email address if it has a legacy account, else null. */
    legacyEmail: rules.email === 'email_in_old_system' ? email : null,
    /** Whether the email address already has an account. */
    isTaken: rules.email === 'account_exists',
    isAgeRefused:
      !!birthday && ('code' in birthday ? birthday.code : rules.birthday) === 'underage',
  };
}
