import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { requestMigration } from '../../api/migration';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Status } from '../../components/notice';
import { TextField } from '../../components/text-field';
import { firstError, useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkMigrationEmail } from '../../validation/email';
import styles from './migration.module.css';
import { MigrationFailure } from './migration-failure';
import { useMigrationStep } from './use-migration-step';

interface MigrationRequestProps {
  /** The initial address, from the sign-in screen. */
  email: string;
  /** The sign-in redirected here, because the account of that address is still on the old site. */
  known: boolean;
  /** Links to other screens. */
  children: ReactNode;
}

/** The address that the sign-in or an error message passed on. */
export const emailOfPage = (): string => new URLSearchParams(location.search).get('email') ?? '';

/** The first step: requests a link for the address of the old account. */
export function MigrationRequest({ email, known, children }: MigrationRequestProps) {
  const { t } = useTranslation();
  const [sent, setSent] = useState(false);
  const lead = known && email ? t('migration.lead_known', { email }) : t('migration.lead');

  return (
    <Card
      // A new key remounts the card, so that its heading takes the focus and is announced.
      key={sent ? 'sent' : 'form'}
      lead={sent ? null : lead}
      title={t('migration.title')}
    >
      {sent ? (
        <>
          <Status>
            <p>{t('answer.migration_sent')}</p>
          </Status>
          <p>{t('migration.sent_next')}</p>
          <Button look="secondary" onClick={() => setSent(false)}>
            {t('migration.sent_again')}
          </Button>
        </>
      ) : (
        <RequestForm email={email} onSent={() => setSent(true)} />
      )}
      {children}
    </Card>
  );
}

function RequestForm({ email, onSent }: { email: string; onSent: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ email });
  const fallback = t('migration.request_failed');

  // A prerendered page gets the address after hydration. It does not replace text that the user has typed.
  const isFilledIn = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it becomes known, not at every stroke
  useEffect(() => {
    if (!email) return;
    isFilledIn.current = true;
    if (form.values.email === '') form.set('email', email);
  }, [email]);
  const { busy, failure, send, forget } = useMigrationStep(form, 'email', fallback);

  function submit(event: FormEvent) {
    event.preventDefault();
    const typed = form.readPage().email.trim();
    // An early submit is replayed before the address is filled in.
    const address = typed || isFilledIn.current ? typed : emailOfPage().trim();
    const errors = firstError({ email: checkMigrationEmail(address) });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    send(() => requestMigration(address), onSent);
  }

  return (
    <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <MigrationFailure errors={form.errors} fallback={fallback} reason={failure} />
      <TextField
        {...form.field('email')}
        autoCapitalize="none"
        autoComplete="username"
        inputMode="email"
        label={t('common.email')}
        spellCheck={false}
        type="email"
      />
      <Button busy={busy && t('migration.busy')}>{t('migration.submit')}</Button>
    </form>
  );
}
