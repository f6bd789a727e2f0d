import type { Elements } from '../../components/elements';
import { Failure } from '../../components/failure';
import { MarkedFields } from '../../components/marked-fields';
import type { Form } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';

interface MigrationFailureProps {
  form: Pick<Form<Record<string, string>>, 'errors' | 'failure' | 'ref'>;
  /** The message that is shown if the error response contains no message. */
  fallback: string;
  /** Links or buttons with which the user can continue. */
  children?: Elements;
}

/** The error summary of the migration screens. All errors have the same title and their own message. */
export function MigrationFailure({ form, fallback, children }: MigrationFailureProps) {
  const { t } = useTranslation();
  const title = t('common.authentication_failed');

  if (Object.keys(form.errors).length > 0) {
    return (
      <MarkedFields
        errors={form.errors}
        form={form.ref}
        passwordLabel="migration.new_password"
        title={title}
      />
    );
  }
  return (
    <Failure fallback={fallback} reason={form.failure} title={title}>
      {children}
    </Failure>
  );
}
