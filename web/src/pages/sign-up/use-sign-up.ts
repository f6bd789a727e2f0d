import { type FormEvent, useState } from 'react';
import { ApiFailure } from '../../api/client';
import { fieldMessages, report } from '../../api/message';
import { register } from '../../api/registration';
import type { User } from '../../api/session';
import { useConfig } from '../../config';
import { withTypedCountry } from '../../countries/typed';
import { useCountries } from '../../countries/use-countries';
import { useAgeGate } from '../../forms/use-age-gate';
import { serverErrors, useForm } from '../../forms/use-form';
import { useRequest } from '../../forms/use-request';
import { checkRegistration, EMPTY, registrationOf } from './sign-up-values';

/** The state and the submit handler of the registration form. */
export function useSignUp(onDone: (user: User) => void) {
  const { age } = useConfig();
  const form = useForm(EMPTY);
  const countries = useCountries();
  const gate = useAgeGate();
  const [consent, setConsent] = useState(false);
  const [oldEmail, setOldEmail] = useState<string | null>(null);
  const { busy, failure, send, forget } = useRequest(handle);

  function submit(event: FormEvent) {
    event.preventDefault();
    forget();
    setOldEmail(null);
    const values = withTypedCountry(form.readPage(), form.ref.current, countries.list);
    const errors = gate.applyAgeLimit(checkRegistration(values, age.registration, new Date()));
    if (Object.keys(errors).length > 0) {
      form.showErrors(errors);
      return;
    }
    const mayWrite = form.isTicked('marketing_consent');
    send(() => register(registrationOf(values, mayWrite)), onDone);
  }

  /** Shows the server's field errors at their fields. Other errors are shown above the form. */
  function handle(reason: unknown): boolean {
    gate.countRefusal(reason);
    const fields = fieldMessages(reason);
    form.showErrors(fields ? serverErrors(fields) : {});
    const isOld = reason instanceof ApiFailure && isOfOldSite(reason);
    setOldEmail(isOld ? form.readPage().email.trim() : null);
    if (fields) report(reason);
    return fields !== null;
  }

  return { submit, form, countries, busy, failure, oldEmail, consent, setConsent };
}

/** The address belongs to a legacy account. */
function isOfOldSite({ refusal }: ApiFailure): boolean {
  return refusal?.fields?.email === 'email_in_old_system';
}
