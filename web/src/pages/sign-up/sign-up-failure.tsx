import { Link } from 'wouter';
import { hasServerMessage } from '../../api/message';
import { Failure } from '../../components/failure';
import { MarkedFields } from '../../components/marked-fields';
import type { Form } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import type { SignUpValues } from './sign-up-values';

interface SignUpFailureProps {
  form: Form<SignUpValues>;
  /** The typed email address if it has a legacy account, which the user can migrate, else null. */
  legacyEmail: string | null;
  /** Whether the typed email address already has an account, so that the user can sign in. */
  isTaken: boolean;
}

/** The error summary of a registration, whose title is the general message of the server, or a default title. */
export function SignUpFailure(props: SignUpFailureProps) {
  const { form, legacyEmail, isTaken } = props;
  const { t } = useTranslation();

  if (Object.keys(form.errors).length > 0) {
    return (
      <MarkedFields errors={form.errors} form={form.ref}>
        {legacyEmail === null ? null : (
          <Link to={`/migration?${new URLSearchParams({ email: legacyEmail })}`}>
            {t('sign_in.move')}
          </Link>
        )}
        {isTaken ? <Link to="/">{t('sign_up.sign_in_instead')}</Link> : null}
      </MarkedFields>
    );
  }
  const label = hasServerMessage(form.failure) ? {} : { title: t('common.authentication_failed') };
  return <Failure {...label} fallback={t('error.internal')} reason={form.failure} />;
}
