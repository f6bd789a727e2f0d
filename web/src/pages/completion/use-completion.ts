import { type FormEvent, useState } from 'react';
import { fieldMessages } from '../../api/message';
import { completeMigration } from '../../api/migration';
import type { User } from '../../api/session';
import { useConfig } from '../../config';
import { withTypedCountry } from '../../countries/typed';
import { useCountries } from '../../countries/use-countries';
import { useAgeGate } from '../../forms/use-age-gate';
import { serverErrors, useForm } from '../../forms/use-form';
import { useRequest } from '../../forms/use-request';
import { checkCompletion, completionOf, EMPTY, isShort } from './completion-values';

/** The state and the submit handler of the completion form. */
export function useCompletion(token: string, onDone: (user: User) => void) {
  const config = useConfig();
  const form = useForm(EMPTY);
  const countries = useCountries();
  const gate = useAgeGate();
  const [newsletter, setNewsletter] = useState(false);
  const { busy, failure, send, forget } = useRequest(handle);

  function submit(event: FormEvent) {
    event.preventDefault();
    forget();
    const values = withTypedCountry(form.readPage(), form.ref.current, countries.list);
    const errors = gate.applyAgeLimit(checkCompletion(values, config, new Date()));
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    const mayWrite = form.isTicked('marketing_consent');
    send(() => completeMigration(token, completionOf(values, mayWrite, isShort(config))), onDone);
  }

  /** Returns false: the summary shows every error, in addition to the field errors. */
  function handle(reason: unknown): boolean {
    gate.countRefusal(reason);
    form.showErrors(serverErrors(fieldMessages(reason) ?? {}));
    return false;
  }

  return { submit, form, countries, busy, failure, newsletter, setNewsletter };
}
