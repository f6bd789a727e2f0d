import { ApiFailure, isRefusal } from '../../api/client';
import { errorMessageOf, report } from '../../api/message';
import { type Form, serverErrors } from '../../forms/use-form';
import { useRequest } from '../../forms/use-request';

/** The request of a migration step. Shows the server's field errors at `field`. */
export function useMigrationStep<Values extends Record<string, string>>(
  form: Form<Values>,
  field: keyof Values & string,
  fallback: string,
) {
  return useRequest((failure) => {
    if (!isAboutInput(failure)) return false;
    report(failure);
    form.showErrors(serverErrors({ [field]: errorMessageOf(failure, fallback) }));
    return true;
  });
}

/** An age error is not an error of the field. */
function isAboutInput(failure: unknown): boolean {
  const unprocessable = failure instanceof ApiFailure && failure.status === 422;
  return unprocessable && !isRefusal(failure, 'underage');
}
