import { type ComponentType, useState } from 'react';
import type { User } from '../../api/session';
import { Failure } from '../../components/failure';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';
import { type Editing, SettingsEntry } from './settings-entry';

export type PasswordForm = ComponentType<Editing & { user: User }>;

interface PasswordEntryProps extends Editing {
  user: User;
  /** The form component if the form is open initially, else null. */
  firstForm: PasswordForm | null;
}

/** The form is loaded on demand, because the estimate of the password strength is large and rarely needed. */
export const loadPasswordForm = async (): Promise<PasswordForm> =>
  (await loadScript(() => import('../password-change/password-form'))).PasswordForm;

/** The settings entry for the password, which shows dots in place of the value. */
export function PasswordEntry({ user, firstForm, ...editing }: PasswordEntryProps) {
  const { t } = useTranslation();
  const [Form, setForm] = useState(() => firstForm);
  const { failure, send } = useRequest();

  function open() {
    send(
      () => editing.save(loadPasswordForm),
      (loaded) => {
        setForm(() => loaded);
        editing.onOpen();
      },
    );
  }

  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_password')}
      done={t('answer.password_changed')}
      notice={
        failure ? (
          <dd>
            <Failure fallback="" reason={failure} />
          </dd>
        ) : null
      }
      name={t('common.password')}
      onOpen={open}
      value={<span aria-hidden="true">••••••••</span>}
    >
      {Form ? <Form {...editing} user={user} /> : null}
    </SettingsEntry>
  );
}
