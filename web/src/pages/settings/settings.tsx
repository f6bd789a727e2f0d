import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../../api/client';
import { currentUser, signOut, type User } from '../../api/session';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Alert } from '../../components/notice';
import { Waiting } from '../../components/waiting';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { setSessionPossible } from '../../session-hint';
import { useLoaded } from '../../use-loaded';
import styles from './settings.module.css';
import { DevicesSection } from './settings-devices';
import { EmailEntry } from './settings-email';
import type { Editing } from './settings-entry';
import { PasswordEntry } from './settings-password';
import { useDevices } from './use-devices';

/** The settings of the signed-in user. Redirects to the sign-in without a session. */
export default function Settings() {
  const { t } = useTranslation();
  const { state, reload } = useUser();
  return <Card title={t('settings.title')}>{contentOf()}</Card>;

  function contentOf(): ReactNode {
    switch (state.kind) {
      case 'loading':
        return <Waiting>{t('common.loading')}</Waiting>;
      case 'loaded':
        return <Account user={state.data} />;
      case 'failed':
        return (
          <>
            <Alert>
              <p>{t('settings.load_failed')}</p>
            </Alert>
            <Button onClick={reload}>{t('common.try_again')}</Button>
          </>
        );
    }
  }
}

type Changeable = 'email' | 'password';

function Account({ user }: { user: User }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const devices = useDevices();
  const editing = useEditing();
  function leave() {
    setSessionPossible(false);
    navigate('/', { state: { signedOut: true } });
  }
  const password = editing('password');

  function passwordSaved() {
    password.onSaved();
    // The password change ended the other sessions.
    devices.reload();
  }

  return (
    <>
      <dl className={styles.list}>
        <div className={styles.entry}>
          <dt>{t('common.username')}</dt>
          <dd className={styles.value}>
            <span>{user.username}</span>
          </dd>
        </div>
        <EmailEntry {...editing('email')} email={user.email} />
        <PasswordEntry {...password} onSaved={passwordSaved} user={user} />
      </dl>
      <DevicesSection devices={devices} onSignedOut={leave} />
      <SignOut onDone={leave} />
    </>
  );
}

/**
 * Only one form is open and one success message is shown at a time: a password change cancels a pending email change.
 */
function useEditing(): (which: Changeable) => Editing {
  const [open, setOpen] = useState<Changeable | null>(null);
  const [saved, setSaved] = useState<Changeable | null>(null);

  function move(toOpen: Changeable | null, toSaved: Changeable | null) {
    setOpen(toOpen);
    setSaved(toSaved);
  }
  return (which) => ({
    open: open === which,
    saved: saved === which,
    onOpen: () => move(which, null),
    onCancel: () => move(null, null),
    onSaved: () => move(null, which),
  });
}

function SignOut({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest();
  return (
    <div className={styles.leave}>
      {failure === null ? null : (
        <Alert>
          <p>{t('settings.sign_out_failed')}</p>
        </Alert>
      )}
      <Button
        busy={busy && t('settings.sign_out_busy')}
        look="secondary"
        onClick={() => send(signOut, onDone)}
      >
        {t('settings.sign_out')}
      </Button>
    </div>
  );
}

/** Loads the user of the session. Redirects to the sign-in without a session. */
function useUser() {
  const [, navigate] = useLocation();

  function handled(failure: unknown): boolean {
    if (!(failure instanceof ApiFailure && [401, 403].includes(failure.status))) return false;
    setSessionPossible(false);
    navigate('/', { replace: true });
    return true;
  }
  return useLoaded(currentUser, { handled });
}
