import { ApiFailure, isRefusal } from '../../api/client';
import { errorMessageOf, logFailure } from '../../api/message';
import { serverErrors } from '../../forms/field-errors';
import { handleSpentLink } from '../../forms/spent-link';
import { type Form, type FormOptions, useForm } from '../../forms/use-form';

interface MigrationFormOptions<Values extends Record<string, string>, Result>
  extends Omit<FormOptions<Values, Result>, 'onFailure'> {
  /** The field that shows the server's errors about the input. */
  field: keyof Values & string;
  /** The message if the server's response has no message. */
  fallback: string;
  /** Called if the link can no longer be used. */
  onSpent?: (failure: unknown) => void;
}

/** The state of the form of a migration step. */
export function useMigrationForm<Values extends Record<string, string>, Result>(
  options: MigrationFormOptions<Values, Result>,
): Form<Values> {
  const { field, fallback, onSpent, ...rest } = options;
  const form = useForm({ ...rest, summary: true, onFailure });

  function onFailure(failure: unknown): boolean {
    if (onSpent && handleSpentLink('token', onSpent)(failure)) return true;
    if (!isAboutInput(failure)) return false;
    logFailure(failure);
    form.showErrors(serverErrors({ [field]: errorMessageOf(failure, fallback) }));
    return true;
  }
  return form;
}

/** Whether a failure concerns the typed email address or username. The refusal of an age does not. */
function isAboutInput(failure: unknown): boolean {
  const unprocessable = failure instanceof ApiFailure && failure.status === 422;
  return unprocessable && !isRefusal(failure, 'underage');
}
