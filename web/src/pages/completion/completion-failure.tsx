import { useLayoutEffect, useRef } from 'react';
import { isRefusal, Unreachable } from '../../api/client';
import { errorMessageOf, fieldMessages } from '../../api/message';
import { ContactLink } from '../../components/contact-link';
import { MarkedFields } from '../../components/marked-fields';
import { Alert } from '../../components/notice';
import type { FieldErrors } from '../../forms/field-errors';
import type { Form } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import type { CompletionValues } from './completion-values';

export function CompletionFailure({ form }: { form: Form<CompletionValues> }) {
  const { errors, failure: reason } = form;
  const { t } = useTranslation();
  const alert = useRef<HTMLDivElement>(null);
  const hasFieldErrors = Object.keys(errors).length > 0;

  // If there are field errors, the form has focused the first invalid field, so the alert takes no focus.
  useLayoutEffect(() => {
    if (reason !== null && fieldMessages(reason) === null) alert.current?.focus();
  }, [reason]);

  if (isTooYoung(errors) || isRefusedForAge(reason)) {
    return <Alert ref={alert}>{t('error.too_many_attempts')}</Alert>;
  }
  if (reason === null) {
    return hasFieldErrors ? <MarkedFields errors={errors} form={form.ref} /> : null;
  }
  const offline = reason instanceof Unreachable;
  return (
    <Alert offline={offline} ref={alert}>
      {offline ? null : <p>{t('completion.failed')}</p>}
      {fieldMessages(reason) ? null : (
        <p>{errorMessageOf(reason, t('completion.not_completed'))}</p>
      )}
      <ContactLink />
    </Alert>
  );
}

function isTooYoung({ birthday }: FieldErrors): boolean {
  return Boolean(birthday && 'code' in birthday && birthday.code === 'underage');
}

function isRefusedForAge(reason: unknown): boolean {
  return isRefusal(reason, 'underage') || isRefusal(reason, 'too_many_attempts');
}
