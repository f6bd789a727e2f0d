import { isRefusal } from '../../api/client';
import { confirmMigration } from '../../api/migration';
import type { User } from '../../api/session';
import { Button } from '../../components/button';
import { ContactLink } from '../../components/contact-link';
import { HiddenUsername } from '../../components/hidden-username';
import { NewPassword } from '../../components/new-password';
import { useConfig } from '../../config';
import { firstError } from '../../forms/field-errors';
import { useTranslation } from '../../i18n/use-translation';
import {
  checkConfirmation,
  checkMigrationPassword,
  MIN_LENGTH_IN_MIGRATION,
} from '../../validation/password';
import { MigrationFailure } from './migration-failure';
import { useMigrationForm } from './use-migration-form';

interface MigrationConfirmProps {
  token: string;
  /** The email address that the link was mailed to, or an empty string if it is unknown. */
  email: string;
  onDone: (user: User) => void;
  /** Called if the mailed link is no longer valid. */
  onSpent: (failure: unknown) => void;
}

/** The second step of a migration, which asks for a password. A link that is no longer valid replaces the form. */
export function MigrationConfirm({ token, email, onDone, onSpent }: MigrationConfirmProps) {
  const { t } = useTranslation();
  const { age } = useConfig();
  const fallback = t('migration.confirm_failed');
  const form = useMigrationForm({
    field: 'password',
    fallback,
    fields: { password: '', confirm_password: '' },
    check: ({ password, confirm_password }) =>
      firstError({
        password: checkMigrationPassword(password),
        confirm_password: checkConfirmation(password, confirm_password),
      }),
    send: ({ password }) => confirmMigration(token, password),
    onDone,
    onSpent,
  });

  return (
    <form {...form.props}>
      <MigrationFailure fallback={fallback} form={form}>
        {isRefusal(form.failure, 'underage') ? (
          <>
            <p>{t('completion.age', { age: age.registration })}</p>
            <ContactLink />
          </>
        ) : null}
      </MigrationFailure>
      <HiddenUsername email={email} />
      <NewPassword
        confirmation={form.field('confirm_password')}
        form={form.ref}
        labels={[t('migration.new_password'), t('migration.confirm_password')]}
        lengthOnly
        password={form.field('password')}
        personal={[email]}
        minLength={MIN_LENGTH_IN_MIGRATION}
      />
      <Button busy={form.busy && t('migration.confirm_busy')}>{t('migration.confirm')}</Button>
    </form>
  );
}
