import { ApiFailure, isRefusal } from '../../api/client';
import { errorMessageOf, logFailure } from '../../api/message';
import { serverErrors } from '../../forms/field-errors';
import { handleSpentLink } from '../../forms/spent-link';
import { type Form, type FormOptions, useForm } from '../../forms/use-form';

interface MigrationFormOptions<Values extends Record<string, string>, Result>
  extends Omit<FormOptions<Values, Result>, 'onFailure'> {
  /** The field that shows the errors of the server about the typed text. */
  field: keyof Values & string;
  /** The message that is shown if the error response contains no message. */
  fallback: string;
  /** Called if the mailed link is no longer valid. */
  onSpent?: (failure: unknown) => void;
}

/** The state of the form of either step of a migration. */
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

/** Whether a failure concerns the typed text. The rejection of an age has status 422 too, but concerns no text. */
function isAboutInput(failure: unknown): boolean {
  const unprocessable = failure instanceof ApiFailure && failure.status === 422;
  return unprocessable && !isRefusal(failure, 'underage');
}
