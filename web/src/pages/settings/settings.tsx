import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../../api/client';
import { report } from '../../api/message';
import { currentUser, signOut, type User } from '../../api/session';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Alert } from '../../components/notice';
import { Waiting } from '../../components/waiting';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { setSessionPossible } from '../../session-hint';
import styles from './settings.module.css';
import { Devices } from './settings-devices';
import { EmailEntry } from './settings-email';
import type { Editing } from './settings-entry';
import { PasswordEntry } from './settings-password';

/** The settings of the signed-in user. Redirects to the sign-in without a session. */
export default function Settings() {
  const { t } = useTranslation();
  const { user, failed, retry } = useUser();

  return (
    <Card title={t('settings.title')}>
      {user ? <Account user={user} /> : null}
      {failed ? (
        <>
          <Alert>
            <p>{t('settings.load_failed')}</p>
          </Alert>
          <Button onClick={retry}>{t('common.try_again')}</Button>
        </>
      ) : null}
      {user || failed ? null : <Waiting>{t('common.loading')}</Waiting>}
    </Card>
  );
}

type Changeable = 'email' | 'password';

function Account({ user }: { user: User }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [devicesReloadKey, setDevicesReloadKey] = useState(0);
  const editing = useEditing();
  function leave() {
    setSessionPossible(false);
    navigate('/', { state: { signedOut: true } });
  }
  const password = editing('password');

  function passwordSaved() {
    password.onSaved();
    // The password change ended the other sessions.
    setDevicesReloadKey((key) => key + 1);
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
      <Devices onSignedOut={leave} reloadKey={devicesReloadKey} />
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
  const [user, setUser] = useState<User | null>(null);
  const [failed, setFailed] = useState(false);
  const [reloadKey, setReloadKey] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reloadKey loads again
  useEffect(() => {
    let current = true;
    setFailed(false);
    currentUser().then(
      (found) => current && setUser(found),
      (failure: unknown) => {
        if (!current) return;
        const signedOut = failure instanceof ApiFailure && [401, 403].includes(failure.status);
        if (signedOut) {
          setSessionPossible(false);
          navigate('/', { replace: true });
          return;
        }
        report(failure);
        setFailed(true);
      },
    );
    return () => {
      current = false;
    };
  }, [navigate, reloadKey]);

  return { user, failed, retry: () => setReloadKey((key) => key + 1) };
}
