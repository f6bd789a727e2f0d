import type { FormEvent } from 'react';
import { isRefusal } from '../../api/client';
import { confirmMigration } from '../../api/migration';
import type { User } from '../../api/session';
import { Button } from '../../components/button';
import { ContactLink } from '../../components/contact-link';
import { NewPassword } from '../../components/new-password';
import { firstError, useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import {
  checkConfirmation,
  checkMigrationPassword,
  MIN_LENGTH_IN_MIGRATION,
} from '../../validation/password';
import styles from './migration.module.css';
import { MigrationFailure } from './migration-failure';
import { useMigrationStep } from './use-migration-step';

interface MigrationConfirmProps {
  token: string;
  /** The address of the link, or an empty string. */
  email: string;
  onDone: (user: User) => void;
  /** The link has expired: back to the first step. */
  onNewLink: () => void;
}

/** The second step: a password for the new site. The link stays valid after an error. */
export function MigrationConfirm({ token, email, onDone, onNewLink }: MigrationConfirmProps) {
  const { t } = useTranslation();
  const form = useForm({ password: '', confirm_password: '' });
  const fallback = t('migration.confirm_failed');
  const { busy, failure, send, forget } = useMigrationStep(form, 'password', fallback);

  function submit(event: FormEvent) {
    event.preventDefault();
    const { password, confirm_password } = form.readPage();
    const errors = firstError({
      password: checkMigrationPassword(password),
      confirm_password: checkConfirmation(password, confirm_password),
    });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    send(() => confirmMigration(token, password), onDone);
  }

  return (
    <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <MigrationFailure errors={form.errors} fallback={fallback} reason={failure}>
        {isRefusal(failure, 'underage') ? <ContactLink /> : null}
        {isRefusal(failure, 'invalid_token') ? (
          <Button look="secondary" onClick={onNewLink}>
            {t('migration.new_link')}
          </Button>
        ) : null}
      </MigrationFailure>
      {/* Gives password managers the username. */}
      {email ? (
        <input autoComplete="username" hidden name="username" readOnly value={email} />
      ) : null}
      <NewPassword
        confirmation={form.field('confirm_password')}
        labels={[t('migration.new_password'), t('migration.confirm_password')]}
        lengthOnly
        password={form.field('password')}
        personal={[email]}
        announceErrors={false}
        minLength={MIN_LENGTH_IN_MIGRATION}
      />
      <Button busy={busy && t('migration.confirm_busy')}>{t('migration.confirm')}</Button>
    </form>
  );
}
