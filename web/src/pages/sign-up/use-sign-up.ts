import { useState } from 'react';
import { ApiFailure } from '../../api/client';
import { fieldMessages, report } from '../../api/message';
import { register } from '../../api/registration';
import type { User } from '../../api/session';
import { useConfig } from '../../config';
import { useCountries } from '../../countries/use-countries';
import { serverErrors } from '../../forms/field-errors';
import { useAgeGate } from '../../forms/use-age-gate';
import { useForm } from '../../forms/use-form';
import { checkRegistration, EMPTY, registrationOf } from './sign-up-values';

/** The registration form and the state of its screen. */
export function useSignUp(onDone: (user: User) => void) {
  const { age } = useConfig();
  const countries = useCountries();
  const gate = useAgeGate();
  const [legacyEmail, setLegacyEmail] = useState<string | null>(null);
  const form = useForm({
    fields: EMPTY,
    summary: true,
    onSubmit: () => setLegacyEmail(null),
    check: (values) => gate.applyAgeLimit(checkRegistration(values, age.registration, new Date())),
    send: (values, page) => register(registrationOf(values, page.has('marketing_consent'))),
    onDone,
    handled,
  });

  /** Shows the server's field errors at their fields. Other errors are shown above the form. */
  function handled(reason: unknown): boolean {
    gate.countRefusal(reason);
    const fields = fieldMessages(reason);
    form.showErrors(fields ? serverErrors(fields) : {});
    const isLegacy = reason instanceof ApiFailure && isLegacyAddress(reason);
    setLegacyEmail(isLegacy ? form.read().email.trim() : null);
    if (fields) report(reason);
    return fields !== null;
  }

  return { form, countries, legacyEmail };
}

/** The address belongs to a legacy account. */
function isLegacyAddress({ refusal }: ApiFailure): boolean {
  return refusal?.fields?.email === 'email_in_old_system';
}
