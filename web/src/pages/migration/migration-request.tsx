import { useLayoutEffect } from 'react';
import { requestMigration } from '../../api/migration';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import type { Elements } from '../../components/elements';
import { EmailField } from '../../components/email-field';
import { Status } from '../../components/notice';
import { firstError } from '../../forms/field-errors';
import { fillInText } from '../../forms/typed-text';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useTranslation } from '../../i18n/use-translation';
import { readQuery } from '../../url/query';
import { checkMigrationEmail } from '../../validation/email';
import { MigrationFailure } from './migration-failure';
import { useMigrationForm } from './use-migration-form';

interface MigrationRequestProps {
  /** The initial email address, which the sign-in screen has passed, or an empty string. */
  email: string;
  /** Whether the sign-in screen has redirected here, because the email address has a legacy account. */
  known: boolean;
  children: Elements;
}

/** Returns the email address in the URL, which a link or a redirect from another screen has set. */
export const emailOfPage = (): string => readQuery(location.search).get('email') ?? '';

/** The first step of a migration: the user requests a link for the email address of the legacy account. */
export function MigrationRequest({ email, known, children }: MigrationRequestProps) {
  const { t } = useTranslation();
  const { done: isSent, keep, forget } = useKeptResult<true>('requested');
  const lead = known && email ? t('migration.lead_known', { email }) : t('migration.lead');

  return (
    <Card
      // A new key remounts the card, so that the heading takes the focus and is announced.
      key={isSent ? 'sent' : 'form'}
      lead={isSent ? null : lead}
      title={t(isSent ? 'common.check_email' : 'migration.title')}
    >
      {isSent ? (
        <>
          <Status>{t('answer.migration_sent')}</Status>
          <p>{t('migration.sent_next')}</p>
          <Button variant="secondary" onClick={forget}>
            {t('migration.sent_again')}
          </Button>
        </>
      ) : (
        <RequestForm onSent={() => keep(true)} />
      )}
      {children}
    </Card>
  );
}

function RequestForm({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation();
  const fallback = t('migration.request_failed');
  const form = useMigrationForm({
    field: 'email',
    fallback,
    fields: { email: '' },
    check: (typed) => firstError({ email: checkMigrationEmail(typed.email.trim()) }),
    send: (typed) => requestMigration(typed.email.trim()),
    onDone: onSent,
  });
  const { ref } = form;

  // The prerendered page does not contain the email address. The email address is filled in before a submit that
  // happened before hydration is replayed, unless the user has typed a text.
  useLayoutEffect(() => {
    const field = ref.current?.querySelector('input');
    fillInText(field, emailOfPage());
  }, [ref]);

  return (
    <form {...form.props}>
      <MigrationFailure fallback={fallback} form={form} />
      <EmailField {...form.field('email')} enterKeyHint="send" />
      <Button busy={form.busy && t('migration.busy')}>{t('migration.submit')}</Button>
    </form>
  );
}
