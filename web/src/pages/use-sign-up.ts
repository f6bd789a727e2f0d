import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldSentences, report, sentenceOf } from '../api/message';
import { register } from '../api/registration';
import type { User } from '../api/session';
import { useConfig } from '../config';
import { withTypedCountry } from '../countries/typed';
import { useCountries } from '../countries/use-countries';
import { useAgeGate } from '../forms/use-age-gate';
import { spokenFaults, useForm } from '../forms/use-form';
import { checkRegistration, EMPTY, registrationOf } from './sign-up-values';

/** The state of the registration form, and what its button does. */
export function useSignUp(onDone: (user: User) => void) {
  const { t } = useTranslation();
  const { age } = useConfig();
  const form = useForm(EMPTY);
  const countries = useCountries();
  const gate = useAgeGate();
  const [consent, setConsent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFailure(null);
    const values = withTypedCountry(form.readPage(), form.ref.current, countries.list);
    const faults = gate.judge(checkRegistration(values, age.registration, new Date()));
    if (Object.keys(faults).length > 0) {
      form.fail(faults);
      return;
    }
    const mayWrite = form.isTicked('marketing_consent');
    setBusy(true);
    try {
      onDone(await register(registrationOf(values, mayWrite)));
    } catch (reason) {
      report(reason);
      setBusy(false);
      gate.note(reason);
      const fields = fieldSentences(reason);
      form.fail(fields ? spokenFaults(fields) : {});
      if (!fields) setFailure(sentenceOf(reason, t('error.internal')));
    }
  }

  return { submit, form, countries, busy, failure, consent, setConsent };
}
