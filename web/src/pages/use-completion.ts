import { type FormEvent, useState } from 'react';
import { fieldSentences, report } from '../api/message';
import { completeMigration } from '../api/migration';
import type { User } from '../api/session';
import { useConfig } from '../config';
import { withTypedCountry } from '../countries/typed';
import { useCountries } from '../countries/use-countries';
import { useAgeGate } from '../forms/use-age-gate';
import { spokenFaults, useForm } from '../forms/use-form';
import { checkCompletion, completionOf, EMPTY } from './completion-values';

/** The state of the completion form, and what its button does. */
export function useCompletion(token: string, onDone: (user: User) => void) {
  const config = useConfig();
  const form = useForm(EMPTY);
  const countries = useCountries();
  const gate = useAgeGate();
  const [newsletter, setNewsletter] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFailure(null);
    const values = withTypedCountry(form.readPage(), form.ref.current, countries.list);
    const faults = gate.judge(checkCompletion(values, config, new Date()));
    form.fail(faults);
    if (Object.keys(faults).length > 0) return;
    const mayWrite = form.isTicked('marketing_consent');
    setBusy(true);
    try {
      onDone(await completeMigration(token, completionOf(values, mayWrite)));
    } catch (reason) {
      report(reason);
      setBusy(false);
      setFailure(reason);
      gate.note(reason);
      form.fail(spokenFaults(fieldSentences(reason) ?? {}));
    }
  }

  return { submit, form, countries, busy, failure, newsletter, setNewsletter };
}
