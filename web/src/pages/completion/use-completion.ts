import { useCallback } from 'react';
import { fetchLinkAddress } from '../../api/link-address';
import { fieldMessages, logFailure } from '../../api/message';
import { completeMigration } from '../../api/migration';
import type { User } from '../../api/session';
import { useConfig } from '../../config';
import { useCountries } from '../../countries/use-countries';
import { serverErrors } from '../../forms/field-errors';
import { handleSpentLink } from '../../forms/spent-link';
import { useAgeGate } from '../../forms/use-age-gate';
import { useForm } from '../../forms/use-form';
import { useLoaded } from '../../hooks/use-loaded';
import { checkCompletion, completionOf, EMPTY, fillIn, isShort } from './completion-values';

export interface CompletionFormProps {
  token: string;
  onDone: (user: User) => void;
  /** Called if the mailed link is no longer valid. */
  onSpent: (failure: unknown) => void;
}

/** The state of the completion form, the countries, and the email address of the account (empty until it is loaded). */
export function useCompletion({ token, onDone, onSpent }: CompletionFormProps) {
  const config = useConfig();
  const countries = useCountries();
  const load = useCallback(() => fetchLinkAddress(token).catch(logFailure), [token]);
  const { state } = useLoaded(load, {
    onLoaded: (address) => fillIn(form.ref.current, address?.known ?? {}),
  });
  const address = state.kind === 'loaded' ? state.data : null;
  // No country is preselected while the known data load, because the data may contain a country.
  const preselected =
    state.kind === 'loaded' ? (address?.known?.country ?? countries.preselected) : null;
  const gate = useAgeGate('migration');
  const form = useForm({
    fields: EMPTY,
    summary: true,
    check: (values) => gate.applyAgeLimit(checkCompletion(values, config, new Date())),
    send(values, page) {
      const consent = page.has('marketing_consent');
      return completeMigration(token, completionOf(values, consent, isShort(config)));
    },
    onDone,
    onFailure,
  });

  /** Returns true if the link is no longer valid and the form is replaced. The error summary shows other errors. */
  function onFailure(reason: unknown): boolean {
    if (handleSpentLink('migration_token', onSpent)(reason)) return true;
    gate.countRefusal(reason);
    form.showErrors(serverErrors(fieldMessages(reason) ?? {}));
    return false;
  }

  return { form, countries: { ...countries, preselected }, email: address?.email ?? '' };
}
