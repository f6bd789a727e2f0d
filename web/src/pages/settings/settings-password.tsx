import type { ComponentType } from 'react';
import type { User } from '../../api/session';
import { useTranslation } from '../../i18n/use-translation';
import { type Editing, SettingsEntry } from './settings-entry';

export type PasswordFormProps = Editing & { user: User };

interface PasswordEntryProps extends PasswordFormProps {
  Form: ComponentType<PasswordFormProps>;
}

/** The password entry, with a masked value. */
export function PasswordEntry({ user, Form, ...editing }: PasswordEntryProps) {
  const { t } = useTranslation();
  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_password')}
      done={t('answer.password_changed')}
      name={t('common.password')}
      value={<span aria-hidden="true">••••••••</span>}
    >
      <Form {...editing} user={user} />
    </SettingsEntry>
  );
}
